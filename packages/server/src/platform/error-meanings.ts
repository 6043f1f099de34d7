import type { ErrorCode } from './error-codes.ts'

/** What each code means: the first sentence of its section in `docs/errors.md`, which a test compares. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  malformed_json:
    'The body is not JSON, is not UTF-8, is empty although one is required, or has a `__proto__` or `constructor.prototype` key.',
  too_many_values:
    'The body has more than 100,000 JSON values, where the name of a member counts as one.',
  malformed_request:
    'The request is not well-formed HTTP: the request line or URL cannot be parsed, the `Host` header is missing, the length of the body differs from `Content-Length`, or a header with one value, such as `Authorization`, `Content-Type` or `Idempotency-Key`, was sent more than once, or a form is not URL-encoded UTF-8.',
  validation_failed:
    'A field of the body is missing, unknown, of the wrong type or out of range, or contains U+0000 or a lone surrogate.',
  invalid_parameter:
    'A query parameter is unknown, repeated (only `category` and `tag` may be), out of range, or not a cursor of this list.',
  events_gone:
    'Events after the sequence number `after` are no longer retained, so a list of what follows would have a gap.',
  unknown_reference: 'An ID in the body does not refer to anything in this workspace.',
  scope_not_allowed:
    'Neither the integration nor its OAuth app has a requested scope, or one that the integration requires is missing.',
  auth_type_not_allowed: 'The spec has no such `authType`, or the link accepts only OAuth.',
  choice_required:
    'The credentials work, but belong to several sites, tenants or companies, of which the request chooses none.',
  credentials_rejected: 'The provider rejects these credentials, as the integration has found.',
  source_url_forbidden:
    '`sourceUrl` is not an http or https URL, contains a user name or password, or its address does not exist or is forbidden.',
  source_unreachable:
    'The server of `sourceUrl` did not respond within 20 seconds, closed the connection, redirected more than five times, or responded with a status other than 200.',
  source_too_large: 'The bundle is larger than 5 MB after decompression.',
  bundle_invalid:
    'The bundle is not usable: it is not JavaScript text, does not load, exports no function, fails or returns no usable result for SPEC, or its spec is too large or invalid.',
  link_expired: 'The link has expired, so no accounts can be added through it.',
  link_revoked: 'The link was revoked, so no accounts can be added through it.',
  connect_session_limit:
    'The workspace has 10,000 connect sessions that are neither completed, revoked nor expired.',
  bulk_job_limit: 'The workspace has five bulk jobs that are still running.',
  agent_session_limit: 'The workspace has 1,000 agent sessions that have not ended.',
  approval_limit:
    "The agent session, or the customer's MCP clients, have 100 requests that wait for a decision, or the workspace 1,000.",
  sign_in_not_configured:
    'The workspace has no `agents.signInURL`, so that no customer can be identified.',
  connect_session_ended:
    'The connect session was revoked or completed while an account was being connected in it.',
  link_full: 'This link has reached its account limit (`maxAccounts`).',
  link_identifier_full:
    'This link has reached its account limit for this `accountIdentifier` (`maxAccountsPerIdentifier`).',
  oauth_app_missing:
    'The workspace has no OAuth app for this definition, so people cannot sign in.',
  mcp_server_invalid:
    'The MCP server, or its authorization server, does not do what the protocol says: where people sign in, or in its response to a request. The message names the step and what was wrong.',
  client_required:
    'The authorization server of the MCP server neither registers clients nor reads their metadata, and the workspace has no OAuth app for it.',
  webhook_url_forbidden:
    'The `url` of the webhook endpoint is not an https URL, contains a user name, a password or a fragment, or its address does not exist or is forbidden.',
  webhook_endpoint_limit: 'The workspace has 100 webhook endpoints.',
  member_limit: 'The workspace has 200 members, invited ones included.',
  member_is_owner:
    'The member owns the workspace, so their role cannot be changed and they cannot be removed.',
  redirect_url_not_allowed:
    "`redirectURL` does not exactly match one of the workspace's `allowedRedirectURLs`, is not https, or contains a user name, a password or a fragment.",
  oauth_confirm_invalid:
    'This confirmation token is invalid, already used, expired (15 minutes), or of an account that the caller cannot access.',
  account_pending: "The account is awaiting confirmation; its credentials can't be used yet.",
  access_denied:
    "The person, or the provider on the person's behalf, denied access on the provider's page.",
  oauth_attempt_invalid:
    'This connection attempt cannot continue: it has completed or expired (10 minutes), or its definition, OAuth app, link or account was changed or deleted.',
  oauth_start_revoked:
    'The access token that started this connection was revoked before the connection was completed or confirmed.',
  admin_consent_granted:
    'An administrator has allowed the app at the provider, but no one has signed in.',
  oauth_issuer_mismatch: 'The authorization response did not name the expected issuer (RFC 9207).',
  identity_mismatch: 'A different user signed in.',
  proxy_unavailable:
    'The spec of this integration has no `api_base_url` for this account, so the proxy cannot resolve a path.',
  proxy_target_not_allowed:
    'The target after `/proxy/` is outside the hosts that the spec allows, or programs may parse it differently: it contains a user name, a backslash, a fragment, or a host in an unusual notation.',
  token_missing: 'There is no `Authorization` header.',
  token_invalid: 'The token is malformed, unknown, expired or revoked.',
  workspace_not_accessible: 'The token has no access to the workspace in the request.',
  insufficient_scope: 'The token is valid, but lacks the scope that `message` names.',
  secret_required:
    'The request would send stored secrets to another host: it changes the configuration of an account, or the origin of a webhook endpoint, without them.',
  agent_rule_denied: 'The rules of the agent session do not allow this request.',
  approval_denied: 'A person has denied this request of an agent within the last ten minutes.',
  approver_not_allowed: 'The session lets only the customer approve requests of its agent.',
  request_not_found:
    'No request in the log that the token can access has this ID, or it is no longer retained.',
  agent_session_not_found: 'No agent session that the token can access has this ID.',
  agent_approval_not_found:
    'No approval that the token can access has this ID, or it was deleted a day after it expired.',
  sign_in_request_not_found:
    'No sign-in request that the token can access has this ID, or it was deleted a day after it expired.',
  event_not_found: 'No event that the token can access has this ID, or it is no longer retained.',
  link_not_found: 'No link that the token can access has this ID.',
  connect_session_not_found:
    'No connect session that the token can access has this ID, or it expired more than 30 days ago.',
  bulk_job_not_found:
    'No bulk job that the token can access has this ID, or it finished more than seven days ago.',
  integration_definition_not_found:
    'No definition that the token can access has this ID, or it does not match the `category` or `workspaceId` in the query.',
  integration_account_not_found: 'No account that the token can access has this ID.',
  oauth_app_not_found: 'No OAuth app that the token can access has this ID.',
  tool_not_found:
    'The MCP server of the account lists no such tool among its first 500, or one that breaks a rule of the protocol: `message` says which.',
  preview_not_found: 'The preview does not exist, or was requested more than an hour ago.',
  webhook_endpoint_not_found:
    'There is no webhook endpoint with this ID in a workspace that the token can access, or it was deleted.',
  member_not_found: 'No member of a workspace that the token can access has this ID.',
  token_not_found: 'The calling user has no token with this ID.',
  workspace_not_found: 'No workspace that the token can access has this ID.',
  route_not_found: 'There is no route at this path.',
  method_not_allowed: 'The path exists, but not with this method.',
  request_timeout:
    'The request did not arrive in time: 10 seconds for the headers, 30 seconds in total.',
  sign_in_request_ended:
    'No browser waits for this sign-in request: its page was not opened, or the request has ended.',
  approval_required: 'The rules of the agent session require that a person approves this request.',
  tool_suspended:
    'The MCP server of the account describes the tool differently than it was accepted. Nothing was called.',
  agent_approval_decided: 'The request was approved or denied before, or the approval has expired.',
  already_connected:
    'In a connect session, the customer has connected the same user of the tool before.',
  already_exists:
    'The name is in use: the key of a live definition in this workspace, the email of a user, or the slug of a workspace.',
  concurrent_update:
    'The account, or something else that the request refers to, was modified or deleted by another request.',
  idempotency_in_progress: 'Another request with the same `Idempotency-Key` is running.',
  definition_in_use:
    'The definition cannot be deleted, because live accounts use it, an OAuth app is registered for it, or a sign-in is in progress.',
  definition_from_catalogue:
    "Catalogue definitions can't be deleted, because all workspaces share them.",
  bundle_changed: 'The URL returned other bytes for a known version.',
  nothing_to_roll_back:
    'The workspace has not used another version of the definition before, or not the requested one.',
  preview_running: 'A preview of another version of this definition is running in the workspace.',
  oauth_app_in_use:
    'The OAuth app cannot be deleted, because live accounts were connected with it and need it to refresh their tokens.',
  oauth_app_secret_required:
    "The client secret of the OAuth app would be sent to an endpoint that it was not entered for: the definition now runs a version with other endpoints, a configuration chooses a host that is not in the app's `allowedHosts`, or the integration itself sends the secret to such a host.",
  body_too_large:
    'The body is larger than the operation accepts: 64 kB, 6.7 MB with a `bundle`, or 25 MB for requests through the proxy.',
  uri_too_long: 'The URL is longer than 4,096 characters, or 12,288 for the OAuth callback.',
  unsupported_media_type: 'The content type of the body is not JSON.',
  expectation_failed: 'The request has an `Expect` header other than `100-continue`.',
  idempotency_key_reused:
    'The `Idempotency-Key` was used for a request to another operation, another path or with another body.',
  needs_reauth:
    'The provider no longer accepts this connection: the person revoked it, it has expired, or a response with new tokens was lost.',
  headers_too_large: 'The request line and headers together are larger than 16 kB.',
  internal_error: 'Linchpin failed unexpectedly.',
  integration_failed: 'The integration threw an error, exited or crashed.',
  integration_timeout:
    'The integration computed for more than 3 seconds, did not return within 15 seconds, or waits for something that can never happen.',
  integration_limit:
    'The integration used more than 64 MB of memory, nested too deeply, or returned more than 1 MB.',
  integration_bad_output:
    'The result of the integration is not JSON, is nested deeper than 100 levels, has more than 50,000 values, or lacks a required verdict.',
  authorization_request_failed:
    "The authorization request failed before the person saw it: the provider rejected the pushed request (RFC 9126, `pushed_authorization_request_url`) or returned no request URI, or the spec's URL could not be filled.",
  token_exchange_failed:
    'The person returned from the provider, but Linchpin received no usable tokens: the provider rejected the code or the client, or its response contains no token.',
  provider_error:
    'The credentials could not be checked: the provider was unreachable, responded with 429 or a server error, or its address is forbidden here.',
  provider_timeout: 'The provider did not respond in time.',
  storage_unavailable:
    'The database does not respond or is too busy, or the disk failed and Linchpin is restarting.',
  storage_full: 'The disk is full, so nothing can be written.',
  egress_unavailable:
    'The outgoing network of Linchpin does not work: no name server responds, there is no route, or the proxy of `LINCHPIN_EGRESS_PROXY` is down or rejects the connection.',
  refresh_in_progress:
    "The account's access token has expired, and another request is still refreshing it; or another request is still checking the same refresh token.",
  check_in_progress: 'Another request is still checking this account, or refreshing its tokens.',
  shutting_down: 'This node is shutting down.',
  circuit_open:
    'The provider did not respond to several consecutive requests of this workspace, or to any request of this node.',
  overloaded:
    'The node has too much work: its event loop was blocked for five seconds; the workspace has so many queued requests that another would wait for more than 2 s; a bundle call would have to wait for more than 2 s; another integration crashed the process of this call, which must not be sent twice; or the workspace has 100 requests through the proxy in progress on this node.',
  rate_limited:
    'The token, its workspace, the account behind the proxy, or the network after failed authentications has sent too many requests within a minute.',
  agent_budget_spent:
    'The agent session has used all of its requests, or all of those that may write.',
}
