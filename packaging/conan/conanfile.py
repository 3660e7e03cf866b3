"""Wright for Conan 2. It builds the tree that it stands in: conan create packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps


class WrightRecipe(ConanFile):
    name = "wright"
    license = "Apache-2.0"
    description = "A native runtime for agents that use tools"
    topics = ("agents", "llm", "tools")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"program": [True, False]}
    default_options = {"program": True}

    def _tree(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._tree(), "include", "wright", "detail", "version.h"))
        self.version = re.search(r'WRIGHT_VERSION "(.+)"', text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "completions/*", "docs/man/*", "include/*",
                        "packaging/*", "src/*", "web/*"):
            copy(self, pattern, self._tree(), self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.81 <2]", transitive_headers=True)
        for package in ("cli11/[>=2.1 <3]", "fmt/[>=9.1 <10]", "gumbo-parser/0.10.1", "libcurl/[>=7.85 <9]",
                        "libpq/[>=14 <18]", "libseccomp/[>=2.5.4 <3]", "openssl/[>=3 <4]", "re2/20230301",
                        "sqlite3/[>=3.40 <4]", "tomlplusplus/[>=3.3 <4]"):
            self.requires(package)

    def validate(self):
        if self.settings.os != "Linux":
            from conan.errors import ConanInvalidConfiguration
            raise ConanInvalidConfiguration("Wright's sandbox is made of what Linux offers")
        check_min_cppstd(self, 23)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["WRIGHT_TESTS"] = False
        toolchain.variables["WRIGHT_EXAMPLES"] = False
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        for target in ("wright", "wright_planner") + (("wright_cli",) if self.options.program else ()):
            cmake.build(target=target)

    def package(self):
        CMake(self).install(component="development")
        if self.options.program:
            CMake(self).install(component="program")
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "wright")
        library = self.cpp_info.components["wright"]
        library.set_property("cmake_target_name", "wright::wright")
        library.set_property("pkg_config_name", "wright")
        library.libs = ["wright"]
        library.requires = ["boost::json", "cli11::cli11", "fmt::fmt", "gumbo-parser::gumbo-parser",
                            "libcurl::libcurl", "libpq::libpq", "libseccomp::libseccomp", "openssl::openssl",
                            "re2::re2", "sqlite3::sqlite3", "tomlplusplus::tomlplusplus"]
        planner = self.cpp_info.components["offline"]
        planner.set_property("cmake_target_name", "wright::offline")
        planner.set_property("pkg_config_name", "wright-offline")
        planner.libs = ["wright-offline"]
        planner.requires = ["wright"]
