// Which histories of a killed program are told. By day, every moment over one way with one revision, and over the other
// way with the other: half of them. Where WRIGHT_EVERY_MOMENT is set, all; where words are given, those that have them.
export function chosen(histories, words) {
  if (words) return histories.filter(each => JSON.stringify(each).includes(words));
  if (process.env.WRIGHT_EVERY_MOMENT) return histories;
  const moments = [];
  return histories.filter(({ way, revision, ...moment }) => {
    const name = JSON.stringify(moment);
    if (!moments.includes(name)) moments.push(name);
    const isOdd = moments.indexOf(name) % 2 === 1;
    return (way === 'http') === ((revision === '2026-07-28') !== isOdd);
  });
}
