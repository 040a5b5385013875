"""A data centre: nodes with up to five labels, 1,608 process nodes with few distinct names, a catalogue of software."""

from __future__ import annotations

import random

from tests.support.databases.example import ExampleDatabase, GraphScript

HOSTS = [
    "atlas", "borealis", "cinder", "dynamo", "ember", "fathom", "granite", "harrier", "icarus", "juniper", "krill",
    "lumen",
]  # fmt: skip
PROGRAMS = {
    "nginx": ("1.26.2", [80, 443]),
    "postgres": ("16.4", [5432]),
    "redis-server": ("7.4", [6379]),
    "java": ("21.0.4", [8080]),
    "sshd": ("9.8", [22]),
    "node_exporter": ("1.8", [9100]),
}
TEAMS = ["Platform Engineering", "Payments", "Data Warehouse", "Identity and Access"]


def build(graph: GraphScript) -> None:
    """Add 2 data centres with 8 racks, 48 machines, 6 subnets, interfaces, switches, processes, software and teams."""
    chance = random.Random(1608)
    sites = [
        graph.node("DataCenter", name=name, location=city, tier=tier)
        for name, city, tier in [("DC North", "Oslo", 3), ("DC South", "Porto", 4)]
    ]
    racks = []
    for number in range(8):
        rack = graph.node("Rack", tag=f"RK-{number + 1:02d}", units=42)
        racks.append(rack)
        graph.relate(sites[number % 2], "CONTAINS", rack)
    networks = []
    for number in range(6):
        network = graph.node(
            "Network:Subnet",
            cidr=f"10.{20 + number}.0.0/16",
            vlan=100 + number,
            zone=chance.choice(["dmz", "core", "storage"]),
        )
        networks.append(network)
    software = {
        name: graph.node("Software:Application", name=name, version=version, ports=ports)
        for name, (version, ports) in PROGRAMS.items()
    }
    systems = [
        graph.node("Software:OperatingSystem", name=name, version=version, kernel=kernel)
        for name, version, kernel in [
            ("Debian", "12", "6.1"),
            ("Alpine", "3.20", "6.6"),
            ("Rocky Linux", "9.4", "5.14"),
        ]
    ]
    graph.relate(software["nginx"], "DEPENDS_ON", software["redis-server"])
    graph.relate(software["java"], "DEPENDS_ON", software["postgres"])
    graph.relate(software["node_exporter"], "DEPENDS_ON", software["sshd"])
    teams = [graph.node("Team", teamName=name, pager=f"+47 55 01 0{number}") for number, name in enumerate(TEAMS)]
    switches = []
    for number in range(4):
        switch = graph.node(
            "Device:Network:Switch:Managed", hostname=f"sw-{number + 1:02d}.fabric", model="QX-480", uplinks=4
        )
        switches.append(switch)
        graph.relate(racks[number * 2], "HOLDS", switch)
    machines = []
    for number in range(48):
        kind = [
            "Device:Machine:Physical:Linux:Monitored",
            "Device:Machine:Virtual:Linux:Monitored",
            "Device:Machine:Virtual:Linux",
        ][number % 3]
        extra = {"serial": f"SN{chance.randint(10**7, 10**8)}"} if "Physical" in kind else {"hypervisor": "kvm"}
        machine = graph.node(
            kind,
            hostname=f"{HOSTS[number % 12]}-{number // 12 + 1:02d}.internal",
            memory_gb=chance.choice([16, 32, 64, 128]),
            cores=chance.choice([4, 8, 16]),
            **extra,
        )
        machines.append(machine)
        graph.relate(racks[number % 8], "HOLDS", machine)
        graph.relate(machine, "RUNS_OS", systems[number % 3])
        graph.relate(teams[number % 4], "OWNS", machine)
        interface = graph.node(
            "Interface",
            ip=f"10.{20 + number % 6}.{number}.{number * 3 % 250 + 2}",
            mac=":".join(f"{chance.randint(0, 255):02x}" for _ in range(6)),
            speed_mbit=10000,
        )
        graph.relate(machine, "HAS_INTERFACE", interface)
        graph.relate(interface, "PART_OF", networks[number % 6])
        graph.relate(interface, "CONNECTED_TO", switches[number % 4])
    names = list(PROGRAMS)
    for number in range(1608):
        name = "java" if number < 1000 else names[number % len(names)]
        process = graph.node(
            "Application:Process", name=name, pid=1000 + number, started=f"2026-0{number % 9 + 1}-1{number % 10}"
        )
        graph.relate(machines[number % 48], "RUNS", process)
        graph.relate(process, "INSTANCE_OF", software[name])
    graph.statements = [
        "CREATE CONSTRAINT interface_ip FOR (i:Interface) REQUIRE i.ip IS UNIQUE",
        "CREATE INDEX machine_hostname FOR (m:Machine) ON (m.hostname)",
        "CREATE FULLTEXT INDEX software_names FOR (s:Software) ON EACH [s.name]",
    ]


NETWORK = ExampleDatabase("network", build)
