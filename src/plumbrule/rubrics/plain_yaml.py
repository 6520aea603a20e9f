"""YAML as people mean it: only true and false are booleans, and a date is the text that was written."""

import re
from collections.abc import Hashable
from typing import Any

import yaml

_MISREAD = {"tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"}


class PlainYaml(yaml.SafeLoader):
    """Safe YAML in which 'no', 'on' and 2025-01-01 are words."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own class attribute
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in _MISREAD]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


PlainYaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


class KeyedYaml(PlainYaml):
    """The same, and no key stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        """Return the mapping, or say which key stands twice."""
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key '{key}' stands twice", node.start_mark)
        return super().construct_mapping(node, deep)
