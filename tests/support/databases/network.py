"""A data centre: up to five labels on a node, 1,608 process nodes of a few names, one catalogue of software."""

from __future__ import annotations

import random

from tests.support.databases.example import ExampleDatabase, GraphScript

HOSTS = ["atlas", "borealis", "cinder", "dynamo", "ember", "fathom", "granite", "harrier", "icarus", "juniper",
         "krill", "lumen"]
PROGRAMS = {"nginx": ("1.26.2", [80, 443]), "postgres": ("16.4", [5432]), "redis-server": ("7.4", [6379]),
            "java": ("21.0.4", [8080]), "sshd": ("9.8", [22]), "node_exporter": ("1.8", [9100])}
TEAMS = ["Platform Engineering", "Payments", "Data Warehouse", "Identity and Access"]


def build(graph: GraphScript) -> None:
    """2 data centres, 8 racks, 48 machines, their interfaces and processes, the software catalogue, 4 teams."""
    chance = random.Random(1608)
    sites = [graph.node("DataCenter", name=name, location=where, tier=tier)
             for name, where, tier in [("DC North", "Oslo", 3), ("DC South", "Porto", 4)]]
    racks = []
    for number in range(8):
        rack = graph.node("Rack", tag=f"RK-{number + 1:02d}", units=42)
        racks.append(rack)
        graph.relate(sites[number % 2], "CONTAINS", rack)
    networks = []
    for number in range(6):
        network = graph.node("Network:Subnet", cidr=f"10.{20 + number}.0.0/16", vlan=100 + number,
                             zone=chance.choice(["dmz", "core", "storage"]))
        networks.append(network)
    software = {name: graph.node("Software:Application", name=name, version=version, ports=ports)
                for name, (version, ports) in PROGRAMS.items()}
    systems = [graph.node("Software:OperatingSystem", name=name, version=version, kernel=kernel)
               for name, version, kernel in [("Debian", "12", "6.1"), ("Alpine", "3.20", "6.6"),
                                             ("Rocky Linux", "9.4", "5.14")]]
    graph.relate(software["nginx"], "DEPENDS_ON", software["redis-server"])
    graph.relate(software["java"], "DEPENDS_ON", software["postgres"])
    graph.relate(software["node_exporter"], "DEPENDS_ON", software["sshd"])
    teams = [graph.node("Team", teamName=name, pager=f"+47 55 01 0{number}") for number, name in enumerate(TEAMS)]
    switches = []
    for number in range(4):
        switch = graph.node("Device:Network:Switch:Managed", hostname=f"sw-{number + 1:02d}.fabric", model="QX-480",
                            uplinks=4)
        switches.append(switch)
        graph.relate(racks[number * 2], "HOLDS", switch)
    machines = []
    for number in range(48):
        kind = ["Device:Machine:Physical:Linux:Monitored", "Device:Machine:Virtual:Linux:Monitored",
                "Device:Machine:Virtual:Linux"][number % 3]
        extra = {"serial": f"SN{chance.randint(10**7, 10**8)}"} if "Physical" in kind else {"hypervisor": "kvm"}
        machine = graph.node(kind, hostname=f"{HOSTS[number % 12]}-{number // 12 + 1:02d}.internal",
                             memory_gb=chance.choice([16, 32, 64, 128]), cores=chance.choice([4, 8, 16]), **extra)
        machines.append(machine)
        graph.relate(racks[number % 8], "HOLDS", machine)
        graph.relate(machine, "RUNS_OS", systems[number % 3])
        graph.relate(teams[number % 4], "OWNS", machine)
        interface = graph.node("Interface", ip=f"10.{20 + number % 6}.{number}.{number * 3 % 250 + 2}",
                               mac=":".join(f"{chance.randint(0, 255):02x}" for _ in range(6)), speed_mbit=10000)
        graph.relate(machine, "HAS_INTERFACE", interface)
        graph.relate(interface, "PART_OF", networks[number % 6])
        graph.relate(interface, "CONNECTED_TO", switches[number % 4])
    names = list(PROGRAMS)
    for number in range(1608):
        name = "java" if number < 1000 else names[number % len(names)]
        process = graph.node("Application:Process", name=name, pid=1000 + number,
                             started=f"2026-0{number % 9 + 1}-1{number % 10}")
        graph.relate(machines[number % 48], "RUNS", process)
        graph.relate(process, "INSTANCE_OF", software[name])
    graph.statements = ["CREATE CONSTRAINT interface_ip FOR (i:Interface) REQUIRE i.ip IS UNIQUE",
                        "CREATE INDEX machine_hostname FOR (m:Machine) ON (m.hostname)",
                        "CREATE FULLTEXT INDEX software_names FOR (s:Software) ON EACH [s.name]"]


QUESTIONS = """
? Which machine has the IP address 10.23.3.11?
= MATCH (m:Machine)-[:HAS_INTERFACE]->(:Interface {ip: '10.23.3.11'}) RETURN m.hostname
@ 10.23.3.11 -> Interface.ip: 10.23.3.11
! MATCH (m:Machine {ip: '10.23.3.11'}) RETURN m.hostname

? What are the interfaces of atlas-01.internal?
= MATCH (:Machine {hostname: 'atlas-01.internal'})-[:HAS_INTERFACE]->(i:Interface) RETURN i.ip
@ atlas-01.internal -> Machine.hostname: atlas-01.internal
! MATCH (:Machine {name: 'atlas-01.internal'})-[:HAS_INTERFACE]->(i:Interface) RETURN i.ip

? Which rack holds ember-02.internal?
= MATCH (r:Rack)-[:HOLDS]->(:Machine {hostname: 'ember-02.internal'}) RETURN r.tag
@ ember-02.internal -> Machine.hostname: ember-02.internal
! MATCH (m:Machine {hostname: 'ember-02.internal'})-[:HOLDS]->(r:Rack) RETURN r.tag

? Which machines are in rack RK-03?
= MATCH (:Rack {tag: 'RK-03'})-[:HOLDS]->(m:Machine) RETURN m.hostname
@ RK-03 -> Rack.tag: RK-03
! MATCH (:Rack {name: 'RK-03'})-[:HOLDS]->(m:Machine) RETURN m.hostname

? Which racks are in DC North?
= MATCH (:DataCenter {name: 'DC North'})-[:CONTAINS]->(r:Rack) RETURN r.tag
@ DC North -> DataCenter.name: DC North

? Which ports does nginx use?
= MATCH (a:Software:Application {name: 'nginx'}) RETURN a.ports
@ nginx -> Application.name: nginx
! MATCH (a:Application:Process {name: 'nginx'}) RETURN a.ports

? What are the process ids of nginx?
= MATCH (a:Application:Process {name: 'nginx'}) RETURN a.pid
@ nginx -> Application.name: nginx
! MATCH (a:Software:Application {name: 'nginx'}) RETURN a.pid

? Which machines run postgres?
= MATCH (m:Machine)-[:RUNS]->(:Process {name: 'postgres'}) RETURN DISTINCT m.hostname
@ postgres -> Application.name: postgres

? Which software does java depend on?
= MATCH (:Software {name: 'java'})-[:DEPENDS_ON]->(s:Software) RETURN s.name
@ java -> Software.name: java

? Which software depends on redis-servr?
= MATCH (s:Software)-[:DEPENDS_ON]->(:Software {name: 'redis-server'}) RETURN s.name
@ redis-servr -> Software.name: redis-server

? Which version of postgres is in the catalogue?
= MATCH (s:Software {name: 'postgres'}) RETURN s.version
@ postgres -> Software.name: postgres

? How many processes run on borealis-03.internal?
= MATCH (:Machine {hostname: 'borealis-03.internal'})-[:RUNS]->(p:Process) RETURN count(p)
@ borealis-03.internal -> Machine.hostname: borealis-03.internal

? Which team owns granite-04.internal?
= MATCH (t:Team)-[:OWNS]->(:Machine {hostname: 'granite-04.internal'}) RETURN t.teamName
@ granite-04.internal -> Machine.hostname: granite-04.internal
! MATCH (:Machine {hostname: 'granite-04.internal'})-[:OWNS]->(t:Team) RETURN t.teamName

? Which machines does the Payments team own?
= MATCH (:Team {teamName: 'Payments'})-[:OWNS]->(m:Machine) RETURN m.hostname
@ Payments -> Team.teamName: Payments
! MATCH (:Team {name: 'Payments'})-[:OWNS]->(m:Machine) RETURN m.hostname

? Which machines does Plattform Enginering own?
= MATCH (:Team {teamName: 'Platform Engineering'})-[:OWNS]->(m:Machine) RETURN m.hostname
@ Plattform Enginering -> Team.teamName: Platform Engineering

? What is the pager number of Data Warehouse?
= MATCH (t:Team {teamName: 'Data Warehouse'}) RETURN t.pager
@ Data Warehouse -> Team.teamName: Data Warehouse

? Which operating system does harrier-01.internal run?
= MATCH (:Machine {hostname: 'harrier-01.internal'})-[:RUNS_OS]->(o:OperatingSystem) RETURN o.name
@ harrier-01.internal -> Machine.hostname: harrier-01.internal

? How many machines run Debian?
= MATCH (m:Machine)-[:RUNS_OS]->(:OperatingSystem {name: 'Debian'}) RETURN count(m)
@ Debian -> OperatingSystem.name: Debian

? Which machines run Rocky Linx?
= MATCH (m:Machine)-[:RUNS_OS]->(:OperatingSystem {name: 'Rocky Linux'}) RETURN m.hostname
@ Rocky Linx -> OperatingSystem.name: Rocky Linux

? What is the kernel of Alpine?
= MATCH (o:OperatingSystem {name: 'Alpine'}) RETURN o.kernel
@ Alpine -> OperatingSystem.name: Alpine

? Which interfaces are connected to sw-02.fabric?
= MATCH (i:Interface)-[:CONNECTED_TO]->(:Switch {hostname: 'sw-02.fabric'}) RETURN i.ip
@ sw-02.fabric -> Switch.hostname: sw-02.fabric

? Which interfaces are part of the subnet 10.22.0.0/16?
= MATCH (i:Interface)-[:PART_OF]->(:Subnet {cidr: '10.22.0.0/16'}) RETURN i.ip
@ 10.22.0.0/16 -> Subnet.cidr: 10.22.0.0/16
! MATCH (i:Interface)-[:PART_OF]->(:Subnet {name: '10.22.0.0/16'}) RETURN i.ip

? What is the zone of 10.24.0.0/16?
= MATCH (s:Subnet {cidr: '10.24.0.0/16'}) RETURN s.zone
@ 10.24.0.0/16 -> Subnet.cidr: 10.24.0.0/16

? Which physical machines have more than 32 GB of memory?
= MATCH (m:Machine:Physical) WHERE m.memory_gb > 32 RETURN m.hostname

? Which virtual machines are not monitored?
= MATCH (m:Machine:Virtual) WHERE NOT m:Monitored RETURN m.hostname

? What are the serial numbers of the physical machines?
= MATCH (m:Machine:Physical) RETURN m.hostname, m.serial
! MATCH (m:Machine:Virtual) RETURN m.hostname, m.serial

? How many cores has lumen-01.internal?
= MATCH (m:Machine {hostname: 'lumen-01.internal'}) RETURN m.cores
@ lumen-01.internal -> Machine.hostname: lumen-01.internal

? How many machines are in each data center?
= MATCH (d:DataCenter)-[:CONTAINS]->(:Rack)-[:HOLDS]->(m:Machine) RETURN d.name, count(m)

? Which processes on krill-01.internal were started before March 2026?
= MATCH (:Machine {hostname: 'krill-01.internal'})-[:RUNS]->(p:Process) WHERE date(p.started) < date('2026-03-01') RETURN p.pid
@ krill-01.internal -> Machine.hostname: krill-01.internal
! MATCH (:Machine {hostname: 'krill-01.internal'})-[:RUNS]->(p:Process) WHERE p.started < date('2026-03-01') RETURN p.pid

? How many processes were started in the year 2026?
= MATCH (p:Process) WHERE date(p.started).year = 2026 RETURN count(p)
! MATCH (p:Process) WHERE p.started.year = 2026 RETURN count(p)

? Which network zones are there?
= MATCH (s:Subnet) RETURN DISTINCT s.zone

? Where is DC South?
= MATCH (d:DataCenter {name: 'DC South'}) RETURN d.location
@ DC South -> DataCenter.name: DC South

? Which data center is in Oslo?
= MATCH (d:DataCenter {location: 'Oslo'}) RETURN d.name

? How many instances of node_exporter are running?
= MATCH (p:Process)-[:INSTANCE_OF]->(:Software {name: 'node_exporter'}) RETURN count(p)
@ node_exporter -> Software.name: node_exporter

? Which machines run an instance of sshd?
= MATCH (m:Machine)-[:RUNS]->(:Process)-[:INSTANCE_OF]->(:Software {name: 'sshd'}) RETURN DISTINCT m.hostname
@ sshd -> Software.name: sshd

? Which rack holds the switch sw-03.fabric?
= MATCH (r:Rack)-[:HOLDS]->(:Switch {hostname: 'sw-03.fabric'}) RETURN r.tag
@ sw-03.fabric -> Switch.hostname: sw-03.fabric

? Which subnets does juniper-02.internal belong to?
= MATCH (:Machine {hostname: 'juniper-02.internal'})-[:HAS_INTERFACE]->(:Interface)-[:PART_OF]->(s:Subnet) RETURN s.cidr
@ juniper-02.internal -> Machine.hostname: juniper-02.internal

? Which machine has the most memory?
= MATCH (m:Machine) RETURN m.hostname ORDER BY m.memory_gb DESC LIMIT 1

? Which racks hold machines of Identity and Acess?
= MATCH (:Team {teamName: 'Identity and Access'})-[:OWNS]->(:Machine)<-[:HOLDS]-(r:Rack) RETURN DISTINCT r.tag
@ Identity and Acess -> Team.teamName: Identity and Access

? What is the model of sw-01.fabric?
= MATCH (s:Switch {hostname: 'sw-01.fabric'}) RETURN s.model
@ sw-01.fabric -> Switch.hostname: sw-01.fabric
"""

NETWORK = ExampleDatabase("network", build, QUESTIONS)
