"""Every diagnostic code of the checks against a schema, with the tests that cover it."""

REQUIREMENTS: dict[str, tuple[str, ...]] = {
    "unknown_label": (
        "checks/test_names.py::test_a_misspelled_label_is_reported_with_the_nearest_label",
        "checks/test_names.py::test_a_type_written_as_a_label_is_recognised_and_the_only_fitting_label_is_suggested",
    ),
    "unknown_relationship_type": (
        "checks/test_names.py::test_a_misspelled_type_is_reported_and_its_direction_is_not_checked",
        "checks/test_names.py::test_a_type_written_with_a_synonym_is_found_by_meaning",
    ),
    "unknown_property": (
        "checks/test_names.py::test_the_property_of_a_variable_without_a_label_is_checked",
        "checks/test_names.py::test_a_misspelled_property_is_found_in_every_position",
        "checks/test_names.py::test_a_relationship_without_the_property_is_reported",
    ),
    "reversed_direction": (
        "checks/test_directions.py::test_reversed_relationship_is_reported_with_the_corrected_pattern",
        "checks/test_directions.py::test_the_relationship_to_reverse_is_found_through_nodes_without_labels",
        "test_repair.py::test_a_real_prediction_is_repaired",
    ),
    "impossible_pattern": (
        "checks/test_directions.py::test_an_impossible_pattern_is_reported_with_the_types_that_connect_the_labels",
        "checks/test_directions.py::test_an_impossible_pattern_is_reported_with_the_ways_through_another_node",
    ),
    "entity_not_found": (
        "checks/test_entities.py::test_a_misspelled_name_is_reported_with_the_nearest_name",
        "checks/test_entities.py::test_an_alias_is_reported_as_an_alias",
        "checks/test_entities.py::test_a_name_of_a_node_with_another_label_is_reported",
    ),
    "type_mismatch": (
        "checks/test_values.py::test_a_literal_of_a_wrong_type_is_retyped",
        "checks/test_values.py::test_parameters_are_checked_by_their_values",
    ),
    "list_compared_as_value": (
        "checks/test_values.py::test_a_list_compared_as_a_value_is_turned_into_a_membership",
        "checks/test_values.py::test_a_list_in_a_pattern_map_moves_to_a_condition",
    ),
    "text_compared": (
        "checks/test_text_values.py::test_text_that_holds_numbers_is_reported_if_it_is_sorted_or_summed",
        "checks/test_text_values.py::test_plain_text_and_text_that_sorts_correctly_are_not_reported",
    ),
    "time_open_interval": ("checks/test_answers.py::test_a_time_filter_that_excludes_open_intervals_causes_a_warning",),
    "null_comparison": (
        "checks/test_nulls.py::test_a_comparison_with_null_causes_an_error_and_the_intended_test_is_suggested",
        "checks/test_nulls.py::test_a_correct_use_of_null_is_not_reported",
    ),
    "empty_label": ("checks/test_emptiness.py::test_a_label_without_nodes_is_reported_in_every_position",),
    "empty_relationship": (
        "checks/test_emptiness.py::test_a_type_without_relationships_is_reported_in_every_position",
        "checks/test_emptiness.py::test_a_type_whose_relationships_connect_only_other_labels_is_reported",
    ),
    "empty_property": (
        "checks/test_emptiness.py::test_a_property_without_values_is_reported_with_its_effect_on_the_query",
        "checks/test_emptiness.py::test_a_query_that_expects_nulls_is_not_reported",
        "checks/test_emptiness.py::test_sorting_by_a_property_that_hardly_any_node_has_is_reported",
    ),
    "returns_node": ("checks/test_answers.py::test_a_returned_node_causes_a_hint_to_return_properties",),
    "distinct_merges_entities": (
        "checks/test_answers.py::test_counting_distinct_names_merges_namesakes",
        "checks/test_answers.py::test_returning_distinct_names_merges_namesakes",
    ),
    "extra_sort_column": ("checks/test_answers.py::test_a_column_that_only_sorts_causes_a_hint",),
    "cartesian_product": ("checks/test_costs.py::test_patterns_without_a_common_variable_are_a_cartesian_product",),
    "unbounded_path": ("checks/test_costs.py::test_a_path_without_a_bound_causes_a_warning",),
    "no_limit": ("checks/test_costs.py::test_a_result_without_condition_or_limit_causes_a_hint",),
}
"""The tests of each code, by module and name; `test_reference.py` also checks the examples of the codes."""
