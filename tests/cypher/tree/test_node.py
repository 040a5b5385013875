from graphground.cypher.tree import IntegerLiteral, ListLiteral, Node, StringLiteral, Variable


def test_walk_yields_parents_first_in_the_order_of_the_text() -> None:
    tree = ListLiteral(
        0, 12, [IntegerLiteral(1, 2, 1), ListLiteral(4, 7, [Variable(5, 6, "x")]), StringLiteral(9, 11, "")]
    )
    assert [node.start for node in tree.walk()] == [0, 1, 4, 5, 9]


def test_find_yields_one_kind_of_node() -> None:
    tree = ListLiteral(0, 5, [IntegerLiteral(1, 2, 1), Variable(3, 4, "x")])
    assert [node.name for node in tree.find(Variable)] == ["x"]


def test_shape_omits_positions_and_keeps_values() -> None:
    assert IntegerLiteral(0, 1, 7).shape() == IntegerLiteral(5, 9, 7).shape()
    assert IntegerLiteral(0, 1, 7).shape() != IntegerLiteral(0, 1, 8).shape()


def test_every_node_kind_has_slots_and_no_dict() -> None:
    kinds = list(Node.__subclasses__())
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        assert "__dict__" not in dir(kind), kind
