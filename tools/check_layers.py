#!/usr/bin/env python3
"""Rejects an include that tools/layers.txt does not allow. Usage: check_layers.py [ROOT]"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_layers(path):
    layers = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            folder, _, allowed = line.partition(":")
            layers[folder.strip()] = allowed.split()
    return layers


def layer_of(path, layers):
    """The longest folder of the table that contains the path."""
    fits = [folder for folder in layers if path == folder or path.startswith(folder + "/")]
    return max(fits, key=len, default=None)


def allowed(source, target, layers):
    return source == target or any(target == a or target.startswith(a + "/") for a in layers[source])


def violations(root):
    layers = read_layers(root / "tools/layers.txt")
    for file in sorted(root.rglob("*.[ch]pp")):
        path = file.relative_to(root).as_posix()
        if path.startswith(("build", ".")) or "node_modules" in path:
            continue
        source = layer_of(str(pathlib.PurePosixPath(path).parent), layers)
        if source is None:
            yield f"{path}: its folder is not in tools/layers.txt"
            continue
        for include in INCLUDE.findall(file.read_text(errors="replace")):
            if not (root / include).exists():
                yield f'{path}: "{include}" is not a path from the root of the project'
                continue
            target = layer_of(str(pathlib.PurePosixPath(include).parent), layers)
            if target is None or not allowed(source, target, layers):
                yield f'{path}: {source} must not include "{include}"'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = list(violations(root))
    print("\n".join(problems))
    print(f"{len(problems)} forbidden includes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
