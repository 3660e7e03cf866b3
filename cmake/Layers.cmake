# The house: the folders of src/ and what each may include. Arrows point inward; a folder sees
# include/wright, itself, and the folders listed here. tests/layers checks that this is so.
set(WRIGHT_FOLDERS core offline providers net models store sandbox tools entities interceptors agents feedback
                   runtime app)

set(WRIGHT_LAYER_core "")
set(WRIGHT_LAYER_offline core)
set(WRIGHT_LAYER_providers core)
set(WRIGHT_LAYER_net core)
set(WRIGHT_LAYER_models core offline providers net)
set(WRIGHT_LAYER_store core)
set(WRIGHT_LAYER_sandbox core)
set(WRIGHT_LAYER_tools core net sandbox)
set(WRIGHT_LAYER_entities core store sandbox tools)
set(WRIGHT_LAYER_interceptors core tools)
set(WRIGHT_LAYER_agents core store tools entities interceptors)
set(WRIGHT_LAYER_feedback core tools)
set(WRIGHT_LAYER_runtime core models store sandbox tools interceptors agents feedback)
set(WRIGHT_LAYER_app core offline providers net models store sandbox tools entities interceptors
                     agents feedback runtime)

# The folders inside of a folder, likewise: each sees itself and those listed for it. What stands in
# the folder itself sees them all.
set(WRIGHT_PARTS_app settings terminal wiring commands)
set(WRIGHT_LAYER_app/settings "")
set(WRIGHT_LAYER_app/terminal settings)
set(WRIGHT_LAYER_app/wiring settings terminal)
set(WRIGHT_LAYER_app/commands settings terminal wiring)
