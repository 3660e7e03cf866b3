# The house: the folders of src/ and what each may include. Arrows point inward; a folder sees
# include/wright, itself, and the folders listed here. tests/layers checks that this is so.
set(WRIGHT_FOLDERS core mcp providers http_message net models sqlite store postgres sandbox tools entities
                   interceptors agents project acp feedback session runtime http_server mcp_client mcp_server offline
                   telemetry server app)

set(WRIGHT_LAYER_core "")
set(WRIGHT_LAYER_mcp core)
set(WRIGHT_LAYER_providers core)
set(WRIGHT_LAYER_http_message core)
set(WRIGHT_LAYER_net core http_message)
set(WRIGHT_LAYER_models core providers net)
set(WRIGHT_LAYER_sqlite core)
set(WRIGHT_LAYER_store core sqlite)
set(WRIGHT_LAYER_postgres core sqlite store)
set(WRIGHT_LAYER_sandbox core)
set(WRIGHT_LAYER_tools core net sqlite sandbox)
set(WRIGHT_LAYER_entities core sqlite sandbox tools)
set(WRIGHT_LAYER_interceptors core tools)
set(WRIGHT_LAYER_agents core store tools entities interceptors)
set(WRIGHT_LAYER_project core sandbox tools interceptors)
set(WRIGHT_LAYER_acp core tools)
set(WRIGHT_LAYER_feedback core store tools)
set(WRIGHT_LAYER_session core store feedback)
set(WRIGHT_LAYER_runtime core models store sandbox tools interceptors agents feedback session)
set(WRIGHT_LAYER_http_server core http_message)
set(WRIGHT_LAYER_mcp_client core mcp net sandbox tools interceptors)
set(WRIGHT_LAYER_mcp_server core mcp store tools runtime http_server)
set(WRIGHT_LAYER_offline core)
set(WRIGHT_LAYER_telemetry core net)
set(WRIGHT_LAYER_server core store feedback runtime http_server)
set(WRIGHT_LAYER_app core providers net models sqlite store postgres sandbox tools entities interceptors
                     agents project acp feedback session runtime mcp mcp_client mcp_server offline telemetry http_server
                     server)

# The folders inside of a folder, likewise: each sees itself and those listed for it. What stands in
# the folder itself sees them all.
set(WRIGHT_PARTS_app settings terminal wiring commands)
set(WRIGHT_LAYER_app/settings "")
set(WRIGHT_LAYER_app/terminal settings)
set(WRIGHT_LAYER_app/wiring settings terminal)
set(WRIGHT_LAYER_app/commands settings terminal wiring)

# The public headers, by the folder that owns them. A header sees what its folder sees;
# wright.h, which includes them all, belongs to none.
set(WRIGHT_HEADERS_core error.h json.h log.h schema.h message.h model.h people.h tool.h context.h
    agent.h run.h events.h fitting.h requirements.h testing.h detail/language.h detail/misuse.h
    detail/plain_struct.h detail/schema.h detail/tool.h detail/version.h)
set(WRIGHT_HEADERS_providers provider.h)
set(WRIGHT_HEADERS_models models.h)
set(WRIGHT_HEADERS_store session.h store_writes.h store.h)
set(WRIGHT_HEADERS_postgres postgres.h)
set(WRIGHT_HEADERS_sandbox sandbox.h)
set(WRIGHT_HEADERS_tools tools.h)
set(WRIGHT_HEADERS_interceptors interceptors.h)
set(WRIGHT_HEADERS_agents agents.h)
set(WRIGHT_HEADERS_feedback feedback.h detail/feedback.h)
set(WRIGHT_HEADERS_runtime driver.h runtime.h replay.h)
