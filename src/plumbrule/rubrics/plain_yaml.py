"""YAML as people mean it: only true and false are booleans, and a date is the text that was written."""

import re

import yaml

_MISREAD = {"tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"}


class PlainYaml(yaml.SafeLoader):
    """Safe YAML in which 'no', 'on' and 2025-01-01 are words."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own class attribute
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in _MISREAD]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


PlainYaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))
