// A server as Node.js makes it, for the tests of the HTTP client. Prints its address and ends with its input.
import http from 'node:http';
import zlib from 'node:zlib';

const routes = {
  '/echo': (request, response, body) => {
    response.setHeader('X-Seen', `${request.method} ${body.length}`);
    response.end(body);
  },
  '/stream': async (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (let i = 0; i < 100; ++i) {
      response.write(`data: ${i}\n\n`);
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    response.addTrailers({ 'X-Trailer': 'x' });
    response.end();
  },
  '/gzip': (request, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' });
    response.end(zlib.gzipSync('packed '.repeat(10000)));
  },
  '/nothing': (request, response) => response.writeHead(204).end(),
  '/elsewhere': (request, response) => response.writeHead(302, { Location: '/echo' }).end('moved'),
  '/hints': (request, response) => {
    response.writeEarlyHints?.({ link: '</style.css>; rel=preload; as=style' });
    response.end('hinted');
  },
  // Without a word about it.
  '/goodbye': (request, response) => response.end('bye', () => request.socket.end()),
  '/cut': (request, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('half', () => request.socket.destroy());
  },
};

const server = http.createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const route = routes[request.url];
    if (route) route(request, response, Buffer.concat(pieces));
    else response.writeHead(404).end('no such thing');
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit(0)).resume();
