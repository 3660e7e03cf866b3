"""check_recipes.py TREE VERSION CMAKE: the recipes for vcpkg and Conan are well-formed and of this version.

Neither tool is there, so what they would call is replaced: a port's functions by ones that note their names,
Conan's modules by empty ones.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import types
from unittest import mock

tree, version, cmake = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def check_vcpkg():
    port = tree / "packaging/vcpkg/wright"
    manifest = json.loads((port / "vcpkg.json").read_text())
    assert manifest["version"] == version, "vcpkg.json has another version"
    names = [entry if isinstance(entry, str) else entry["name"] for entry in manifest["dependencies"]]
    assert names == sorted(names, key=lambda name: (name.startswith("vcpkg-"), name)), "vcpkg.json is not sorted"
    functions = ("vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup",
                 "vcpkg_fixup_pkgconfig", "vcpkg_copy_tools", "vcpkg_install_copyright")
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "port.cmake")
        lines = [f'function({name})\n  message(STATUS "{name} ${{ARGV}}")\nendfunction()' for name in functions]
        lines += [f'set(CURRENT_PORT_DIR "{port}")', f'set(CURRENT_PACKAGES_DIR "{folder}/packages")',
                  "set(FEATURES program)", f'include("{port}/portfile.cmake")']
        script.write_text("\n".join(["cmake_minimum_required(VERSION 3.25)", *lines]))
        said = subprocess.run([cmake, "-P", str(script)], check=True, capture_output=True, text=True).stdout
    assert f"vcpkg_cmake_configure SOURCE_PATH;{tree.resolve()};" in said, said
    assert all(name in said for name in functions), said


class Base:
    recipe_folder = str(tree / "packaging/conan")


def check_conan():
    def module(name, **names):
        made = types.ModuleType(name)
        made.__dict__.update(names)
        return made
    copied, required = [], []
    stand_ins = {
        "conan": module("conan", ConanFile=Base), "conan.tools": module("conan.tools"),
        "conan.errors": module("conan.errors", ConanInvalidConfiguration=RuntimeError),
        "conan.tools.build": module("conan.tools.build", check_min_cppstd=mock.Mock(), can_run=mock.Mock()),
        "conan.tools.cmake": module("conan.tools.cmake", CMake=mock.Mock(), CMakeDeps=mock.Mock(),
                                    CMakeToolchain=mock.Mock(), cmake_layout=mock.Mock()),
        "conan.tools.files": module("conan.tools.files", load=lambda recipe, path: pathlib.Path(path).read_text(),
                                    copy=lambda recipe, pattern, source, target: copied.append(pattern)),
        "conan.tools.gnu": module("conan.tools.gnu", PkgConfigDeps=mock.Mock())}
    with mock.patch.dict(sys.modules, stand_ins):
        for path in ("conanfile.py", "test_package/conanfile.py"):
            names = {}
            text = (tree / "packaging/conan" / path).read_text()
            exec(compile(text, path, "exec"), names)  # pylint: disable=exec-used
            if path == "conanfile.py":
                recipe = names["WrightRecipe"]()
        recipe.export_sources_folder = ""
        recipe.requires = lambda name, **_: required.append(name)
        recipe.set_version()
        recipe.export_sources()
        recipe.requirements()
    assert recipe.version == version
    for pattern in copied:
        assert list(tree.glob(pattern)), f"conanfile.py exports {pattern}, which is not there"
    assert len(required) == 11, required


check_vcpkg()
check_conan()
