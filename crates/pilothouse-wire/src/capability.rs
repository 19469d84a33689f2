//! What a CLI says it can do, in `system/init` and in the `initialize` reply. The set is open.

/// The reply to an interrupt names the prompts that are still queued.
pub const INTERRUPT_RECEIPT: &str = "interrupt_receipt_v1";
/// An interrupt can cancel queued prompts.
pub const INTERRUPT_CANCEL_QUEUED: &str = "interrupt_cancel_queued_v1";
/// A question can be answered with "unanswered".
pub const QUESTION_UNANSWERED: &str = "ask_user_question_unanswered_v1";
/// The fate of each prompt is reported.
pub const MESSAGE_LIFECYCLE: &str = "msg_lifecycle_v1";
/// Resources of MCP servers can be read.
pub const MCP_READ_RESOURCE: &str = "mcp_read_resource_v1";
/// A direct MCP call can check permissions.
pub const MCP_CALL_CHECK_PERMISSIONS: &str = "mcp_call_check_permissions_v1";
/// Loading plugins anew can be refused in mid-turn.
pub const RELOAD_PLUGINS_REFUSE_IF_BUSY: &str = "reload_plugins_refuse_if_busy_v1";
/// Status messages name the prompts they serve.
pub const REQUEST_MARKERS: &str = "request_marker_lists_v1";
/// Notifications can be queued.
pub const QUEUED_NOTIFICATIONS: &str = "queued_notifications";
/// The fate of a prompt that the CLI made itself says what woke it.
pub const LIFECYCLE_WAKEUP_SOURCE: &str = "lifecycle_wakeup_source_v1";
/// An MCP server in the host can say that its tools have changed.
pub const SDK_MCP_TOOLS_LIST_CHANGED: &str = "sdk_mcp_tools_list_changed";
/// Handshakes of MCP servers in the host can be made beforehand.
pub const SDK_MCP_MANIFESTS: &str = "sdk_mcp_manifests";
/// What MCP servers say about showing their tools is passed on.
pub const MCP_TOOL_UI_META: &str = "mcp_tool_ui_meta_v1";
/// The result of a direct MCP call can be kept from the model.
pub const MCP_CALL_RESULT_NOT_FOR_MODEL: &str = "mcp_call_result_not_for_model_v1";
/// The state of MCP servers can be had without their configuration.
pub const MCP_STATUS_NO_CONFIG: &str = "mcp_status_no_config_v1";
