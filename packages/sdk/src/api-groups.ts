// Generated from the operations of the API by `npm run generate`. Do not edit.
import type {
  AcceptIntegrationAccountTool,
  AccountChange,
  AccountCount,
  AccountCredentials,
  AccountHealth,
  AgentAccess,
  AgentApproval,
  AgentApprovalWithRequest,
  AgentSession,
  Attempt,
  AttemptCount,
  AuditEvent,
  BulkJob,
  CallIntegrationAccountTool,
  ChangedMember,
  CheckAccount,
  CheckAnswer,
  CheckDefinition,
  CheckedDefinition,
  ConfirmedSignIn,
  ConfirmOAuth,
  ConfirmSignIn,
  ConnectSession,
  CountAccountsQuery,
  CountAttemptsQuery,
  CreateAccount,
  CreateAccountThroughLink,
  CreateAgentSession,
  CreateBulkJob,
  CreateConnectSession,
  CreateDefinition,
  CreateLink,
  CreateOAuthApp,
  CreateToken,
  CreateUser,
  CreateWebhookEndpoint,
  CreateWorkspace,
  Customer,
  DebugWindow,
  DecideAgentApproval,
  DefinitionEntry,
  DefinitionHealth,
  DefinitionPreview,
  DeleteAccountQuery,
  DeletedAccount,
  DeletedWorkspace,
  EraseCustomer,
  ErasureReceipt,
  ExportAuditEventsQuery,
  ExportCustomerQuery,
  ExtendedIntegrationDefinition,
  ExtendedLink,
  GetDefinitionEntryQuery,
  GetDefinitionHealthQuery,
  GetDefinitionPreviewQuery,
  GetDefinitionQuery,
  GetDefinitionSpecQuery,
  GetLinkQuery,
  GetStatisticsQuery,
  ImportAccount,
  InstanceInfo,
  IntegrationAccount,
  IntegrationAccountTool,
  IntegrationDefinition,
  IntegrationOAuthApp,
  InvitedMember,
  InviteMember,
  LinchpinEvent,
  Link,
  LinkSettings,
  ListAccountsQuery,
  ListAgentApprovalsQuery,
  ListAgentSessionsQuery,
  ListAttemptsQuery,
  ListAuditEventsQuery,
  ListConnectSessionsQuery,
  ListCustomersQuery,
  ListDefinitionsQuery,
  ListEventsQuery,
  ListedIntegrationDefinition,
  ListedMember,
  ListLinksQuery,
  ListMembersQuery,
  ListOAuthAppIdsQuery,
  ListOAuthAppsQuery,
  ListRequestsQuery,
  ListWebhookDeliveriesQuery,
  ListWebhookEndpointsQuery,
  LoggedRequest,
  NewAgentSession,
  NewConnectSession,
  NewToken,
  NewUser,
  NewWebhookEndpoint,
  OAuthAppIds,
  OAuthAppReport,
  OverrideDefinition,
  PreviewDefinition,
  QueuedReplay,
  RecheckAnswer,
  ReplayWebhookEvents,
  RequestDetails,
  RollbackDefinition,
  RotateWebhookSecret,
  SetDefinitionIcon,
  SignInRequest,
  StartDebugWindow,
  StartedOAuth,
  StartOAuth,
  TestWebhookEndpoint,
  Token,
  TrustDefinition,
  UpdateAccount,
  UpdateAgentAccess,
  UpdateLink,
  UpdateMember,
  UpdateOAuthApp,
  UpdateWebhookEndpoint,
  UpdateWorkspace,
  UpgradeDefinition,
  UpgradedDefinition,
  User,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookEndpoint,
  WebhookTestResult,
  WorkspaceSettings,
  WorkspaceStatistics,
} from './api-types.ts'
import { Group } from './group.ts'
import type { List } from './list.ts'
import { path } from './path.ts'
import type { RequestOptions } from './send.ts'

/** Connected accounts, and requests through them. */
export class Accounts extends Group {
  /**
   * List the integration accounts of a workspace.
   *
   * Oldest first unless `order` says otherwise. Requires the scope read.
   */
  list(query?: ListAccountsQuery, options?: RequestOptions): List<IntegrationAccount> {
    return this.listPages('/integration_account', query, options)
  }

  /**
   * Count the integration accounts of a workspace.
   *
   * Counts live accounts by status and by definition, at most once in 5 seconds, and less often if counting takes
   * longer than half a second. Requires the scope read.
   */
  count(query?: CountAccountsQuery, options?: RequestOptions): Promise<AccountCount> {
    return this.sendGet('/integration_account/count', query, options)
  }

  /**
   * Get an integration account.
   *
   * `integrationConfiguration` never contains secrets. For a deleted account, returns its tombstone. Requires the
   * scope read.
   */
  get(integrationAccountId: string, options?: RequestOptions): Promise<IntegrationAccount> {
    return this.sendGet(path`/integration_account/${integrationAccountId}`, undefined, options)
  }

  /**
   * List the changes of an integration account.
   *
   * Returns the last 200 changes, newest first; for a deleted account, too. Requires the scope read.
   */
  listHistory(integrationAccountId: string, options?: RequestOptions): List<AccountChange> {
    return this.listAll(
      path`/integration_account/${integrationAccountId}/history`,
      undefined,
      options,
    )
  }

  /**
   * Get the health of an integration account.
   *
   * When its credentials were last used, accepted and checked, the last error, what the provider permits, and the
   * times of its tokens. Requires the scope read.
   */
  getHealth(integrationAccountId: string, options?: RequestOptions): Promise<AccountHealth> {
    return this.sendGet(
      path`/integration_account/${integrationAccountId}/health`,
      undefined,
      options,
    )
  }

  /**
   * Create an integration account.
   *
   * Verifies the credentials first and stores them, encrypted, only if they work. Requires the scope accounts:write
   * or write.
   */
  create(body: CreateAccount, options?: RequestOptions): Promise<IntegrationAccount> {
    return this.sendPost('/integration_account', body, options)
  }

  /**
   * Check credentials without creating an account.
   *
   * Returns 200 for valid and for invalid credentials; `status` tells them apart. No account is created. Requires
   * the scope accounts:write or write.
   */
  check(body: CheckAccount, options?: RequestOptions): Promise<CheckAnswer> {
    return this.sendPost('/integration_account/check', body, options)
  }

  /**
   * Check the stored credentials of an account.
   *
   * Asks the provider, and refreshes tokens first if they are due. Returns 200 whether the credentials work or not;
   * `status` of the response tells them apart, `account.status` is that of the account afterwards. Counts as a
   * scheduled check: the first rejection changes no status, and is repeated by itself after about 10 minutes; with
   * the second one the account becomes `needs_reauth`, unless the provider rejects many accounts at once. If it
   * accepts them again, `active`; if it cannot be reached, nothing changes. At most once in 10 seconds per account.
   * Requires the scope accounts:reconnect or accounts:write or write.
   */
  recheck(integrationAccountId: string, options?: RequestOptions): Promise<RecheckAnswer> {
    return this.sendPost(
      path`/integration_account/${integrationAccountId}/check`,
      undefined,
      options,
    )
  }

  /**
   * Import an account that another system has connected.
   *
   * Stores its credentials encrypted, without a check: `statusReason` is `unchecked` until they have worked once.
   * For an `externalId` that was imported before, returns that account, or its tombstone, and changes nothing.
   * Requires the scope admin.
   */
  import(body: ImportAccount, options?: RequestOptions): Promise<IntegrationAccount> {
    return this.sendPost('/integration_account/import', body, options)
  }

  /**
   * Rename or tag an account, or replace its credentials once the new ones work.
   *
   * `tags` replaces all tags of the account. New credentials are verified before they replace the old ones. If the
   * auth type stays the same, omitted secrets are reused. If any other field changes, send the secrets again or use
   * a token with `credentials:read`; otherwise the response is 403 `secret_required`. Requires the scope
   * accounts:write or write.
   */
  update(
    integrationAccountId: string,
    body?: UpdateAccount,
    options?: RequestOptions,
  ): Promise<IntegrationAccount> {
    return this.sendPost(path`/integration_account/${integrationAccountId}`, body, options)
  }

  /**
   * Get the live credentials of an account.
   *
   * The only operation that returns secrets. Tokens that are about to expire are refreshed first. Each call is
   * recorded in the audit trail. Requests through the proxy need no credentials. Requires the scope
   * credentials:read.
   */
  getCredentials(
    integrationAccountId: string,
    options?: RequestOptions,
  ): Promise<AccountCredentials> {
    return this.sendGet(
      path`/integration_account/${integrationAccountId}/credentials`,
      undefined,
      options,
    )
  }

  /**
   * Record the requests of an integration account for a while.
   *
   * While the window is open, headers and bodies of its requests to the provider are recorded without credentials,
   * encrypted, for 24 hours: up to 32 kB of each body, and 200 exchanges. Get a request returns them. Another call
   * lets the window end at another time; 0 seconds end it. Requires the scope credentials:read.
   */
  startDebugWindow(
    integrationAccountId: string,
    body: StartDebugWindow,
    options?: RequestOptions,
  ): Promise<DebugWindow> {
    return this.sendPost(path`/integration_account/${integrationAccountId}/debug`, body, options)
  }

  /**
   * Delete an integration account and erase its configuration.
   *
   * Revokes the tokens at the provider if the spec describes revocation and no other live account shares the grant,
   * erases the configuration, and returns the tombstone. Repeated calls return the same tombstone. Requires the
   * scope accounts:write or write.
   */
  delete(
    integrationAccountId: string,
    query?: DeleteAccountQuery,
    options?: RequestOptions,
  ): Promise<DeletedAccount> {
    return this.sendDelete(path`/integration_account/${integrationAccountId}`, query, options)
  }

  /**
   * List the tools of an account's MCP server.
   *
   * Asks the server, for at most 500. The first definition of a tool that a workspace sees is accepted. When the
   * server changes its title, description, schemas or annotations, the tool is suspended, for all accounts at the
   * server, until it is accepted as it is then. Requires the scope read.
   */
  listTools(integrationAccountId: string, options?: RequestOptions): List<IntegrationAccountTool> {
    return this.listAll(path`/integration_account/${integrationAccountId}/tool`, undefined, options)
  }

  /**
   * Accept a tool of an account's MCP server as it is now.
   *
   * Ends the suspension of the tool, for all accounts of the workspace at the server. Returns 409 `tool_suspended`
   * if the server has changed it again meanwhile. Repeated calls return the same response. Requires the scope
   * definitions:write or write.
   */
  acceptTool(
    integrationAccountId: string,
    toolName: string,
    body: AcceptIntegrationAccountTool,
    options?: RequestOptions,
  ): Promise<IntegrationAccountTool> {
    return this.sendPost(
      path`/integration_account/${integrationAccountId}/tool/${toolName}`,
      body,
      options,
    )
  }

  /**
   * Call a tool of an account's MCP server.
   *
   * Lists the tools of the server first, so that a call never reaches a tool that the server describes differently
   * than it was accepted. Returns the result of the tool, which may have `isError`: a tool that fails is no error
   * of the API. With the token of an agent session, its rules with `tools` decide. Requires the scope proxy.
   */
  callTool(
    integrationAccountId: string,
    toolName: string,
    body?: CallIntegrationAccountTool,
    options?: RequestOptions,
  ): Promise<Record<string, unknown>> {
    return this.sendPost(
      path`/integration_account/${integrationAccountId}/tool/${toolName}/call`,
      body,
      options,
    )
  }

  /**
   * Get what agents may do with an integration account.
   *
   * The customer may have restricted it in the portal. Requires the scope read.
   */
  getAgentAccess(integrationAccountId: string, options?: RequestOptions): Promise<AgentAccess> {
    return this.sendGet(
      path`/integration_account/${integrationAccountId}/agent_access`,
      undefined,
      options,
    )
  }

  /**
   * Say what agents may do with an integration account.
   *
   * On behalf of the customer, who does the same in the portal. Applies to the next request of every agent session,
   * those that exist included. Requires the scope agents:approve.
   */
  updateAgentAccess(
    integrationAccountId: string,
    body: UpdateAgentAccess,
    options?: RequestOptions,
  ): Promise<AgentAccess> {
    return this.sendPost(
      path`/integration_account/${integrationAccountId}/agent_access`,
      body,
      options,
    )
  }

  /**
   * Create an integration account through a link.
   *
   * Like Create integration account, subject to the restrictions of the link. Requires the scope accounts:write or
   * write.
   */
  createThroughLink(
    linkId: string,
    body: CreateAccountThroughLink,
    options?: RequestOptions,
  ): Promise<IntegrationAccount> {
    return this.sendPost(path`/integration_account/link/${linkId}`, body, options)
  }
}

/** What an AI agent may do with accounts. */
export class AgentApprovals extends Group {
  /**
   * List what agents ask people for.
   *
   * Newest first, for a day after they expire; with the status pending or approved, those that end last come first.
   * Requires the scope read.
   */
  list(query?: ListAgentApprovalsQuery, options?: RequestOptions): List<AgentApproval> {
    return this.listPages('/agent_approval', query, options)
  }

  /**
   * Get an approval with its request.
   *
   * Returns all that is sent once it is approved, without the credentials of the account. Requires the scope
   * agents:approve.
   */
  get(agentApprovalId: string, options?: RequestOptions): Promise<AgentApprovalWithRequest> {
    return this.sendGet(path`/agent_approval/${agentApprovalId}`, undefined, options)
  }

  /**
   * Approve or deny a request of an agent.
   *
   * For sessions whose `approver` is backend or either. A decision is final; an approved request can be sent once,
   * until `expiresAt`. Requires the scope agents:approve.
   */
  decide(
    agentApprovalId: string,
    body: DecideAgentApproval,
    options?: RequestOptions,
  ): Promise<AgentApproval> {
    return this.sendPost(path`/agent_approval/${agentApprovalId}`, body, options)
  }
}

/** What an AI agent may do with accounts. */
export class AgentSessions extends Group {
  /**
   * Create an agent session.
   *
   * Its token lets an agent use some accounts through the proxy, within the rules and limits of the session. The
   * token never shows a credential, and ends with the token that created it. Also requires the scope proxy.
   * Requires the scope agents.
   */
  create(body?: CreateAgentSession, options?: RequestOptions): Promise<NewAgentSession> {
    return this.sendPost('/agent_session', body, options)
  }

  /**
   * Get an agent session.
   *
   * Returns its accounts, rules and limits, and what it has used of them. Requires the scope read.
   */
  get(agentSessionId: string, options?: RequestOptions): Promise<AgentSession> {
    return this.sendGet(path`/agent_session/${agentSessionId}`, undefined, options)
  }

  /**
   * List the agent sessions of a workspace.
   *
   * Newest first, in any state, until they are deleted some time after their end. Requires the scope read.
   */
  list(query?: ListAgentSessionsQuery, options?: RequestOptions): List<AgentSession> {
    return this.listPages('/agent_session', query, options)
  }

  /**
   * Revoke an agent session.
   *
   * The next request of its agent is rejected, on every node. Repeated calls return the same response. Requires the
   * scope agents.
   */
  delete(agentSessionId: string, options?: RequestOptions): Promise<AgentSession> {
    return this.sendDelete(path`/agent_session/${agentSessionId}`, undefined, options)
  }
}

/** Why connecting an account succeeded or failed. */
export class Attempts extends Group {
  /**
   * List the attempts to connect accounts.
   *
   * Why did it fail? Returns successful and failed attempts of the last 30 days, newest first. Requires the scope
   * read.
   */
  list(query?: ListAttemptsQuery, options?: RequestOptions): List<Attempt> {
    return this.listPages('/attempt', query, options)
  }

  /**
   * Count the attempts to connect accounts.
   *
   * Why do they fail? Counts the newest attempts by outcome, code and tool. The filters are those of List attempts.
   * Requires the scope read.
   */
  count(query?: CountAttemptsQuery, options?: RequestOptions): Promise<AttemptCount> {
    return this.sendGet('/attempt/count', query, options)
  }
}

/** Who did what, when and from where. */
export class Audit extends Group {
  /**
   * List the audit trail of a workspace.
   *
   * Newest first. Entries are listed within a second. Requires the scope audit:read.
   */
  list(query?: ListAuditEventsQuery, options?: RequestOptions): List<AuditEvent> {
    return this.listPages('/audit', query, options)
  }

  /**
   * Export the audit trail of a workspace.
   *
   * Streams JSON lines, oldest first, with what verifies them: see docs/audit.md. An export without the last line,
   * of type `end`, is incomplete. The export is recorded in the audit trail. Requires the scope audit:read. Returns
   * the response with its body unread.
   */
  export(query?: ExportAuditEventsQuery, options?: RequestOptions): Promise<Response> {
    return this.openStream('/audit/export', query, options)
  }
}

/** One action for many integration accounts. */
export class BulkJobs extends Group {
  /**
   * Create a bulk job.
   *
   * Checks or deletes up to 500 accounts, or creates a reconnect page for each, in the background: four at a time,
   * and one a second per tool. It continues after a restart, and ends when your token does. Deleting also requires
   * accounts:write, reconnect pages links:write. Five jobs of a workspace may run at a time. With `dryRun`, nothing
   * happens. Requires the scope accounts:reconnect or accounts:write or write.
   */
  create(body: CreateBulkJob, options?: RequestOptions): Promise<BulkJob> {
    return this.sendPost('/bulk_job', body, options)
  }

  /**
   * Get a bulk job.
   *
   * How far it is, and what became of each account, until seven days after it finished. URLs of reconnect pages are
   * in it for an hour, for who created the job. Requires the scope read.
   */
  get(bulkJobId: string, options?: RequestOptions): Promise<BulkJob> {
    return this.sendGet(path`/bulk_job/${bulkJobId}`, undefined, options)
  }
}

/** Sessions in which one customer connects accounts. */
export class ConnectSessions extends Group {
  /**
   * Create a connect session.
   *
   * A page for one customer: what you set here cannot be changed in the browser. The response has its URL this
   * once: redirect the person there, or open it with `@linchpin/client`. Requires the scope links:write or write.
   */
  create(body?: CreateConnectSession, options?: RequestOptions): Promise<NewConnectSession> {
    return this.sendPost('/connect_session', body, options)
  }

  /**
   * List the connect sessions of a workspace.
   *
   * Returns sessions in any state, oldest first unless `order` says otherwise, until 30 days after they expire.
   * Requires the scope read.
   */
  list(query?: ListConnectSessionsQuery, options?: RequestOptions): List<ConnectSession> {
    return this.listPages('/connect_session', query, options)
  }

  /**
   * Get a connect session.
   *
   * Returns its status, its accounts, and why the last attempt failed. Requires the scope read.
   */
  get(connectSessionId: string, options?: RequestOptions): Promise<ConnectSession> {
    return this.sendGet(path`/connect_session/${connectSessionId}`, undefined, options)
  }

  /**
   * Revoke a connect session.
   *
   * Its page ends with the next request. Its accounts remain. A session that has ended is unchanged. Requires the
   * scope links:write or write.
   */
  delete(connectSessionId: string, options?: RequestOptions): Promise<ConnectSession> {
    return this.sendDelete(path`/connect_session/${connectSessionId}`, undefined, options)
  }

  /**
   * Confirm a sign-in of a connect session.
   *
   * As Confirm an OAuth connection, for a token of this session only. Send it for the session that you created for
   * the person who returned. Requires the scope accounts:write or write.
   */
  confirm(
    connectSessionId: string,
    body: ConfirmOAuth,
    options?: RequestOptions,
  ): Promise<IntegrationAccount> {
    return this.sendPost(path`/connect_session/${connectSessionId}/confirm`, body, options)
  }
}

/** Connected accounts, and requests through them. */
export class Customers extends Group {
  /**
   * List the customers of a workspace.
   *
   * The accountIdentifiers of live accounts, in the order of their bytes, and the accounts of each by status.
   * Requires the scope read.
   */
  list(query?: ListCustomersQuery, options?: RequestOptions): List<Customer> {
    return this.listPages('/customer', query, options)
  }

  /**
   * Erase a customer.
   *
   * Revokes the tokens of the accounts with this accountIdentifier, deletes the accounts, and removes names,
   * identifiers and identities from the records about it. Texts of yours, such as names of links, stay. Responds
   * after at most 20 seconds; a longer erasure continues in the background. Repeated calls return the same receipt.
   * Requires the scope accounts:write or write.
   */
  erase(body: EraseCustomer, options?: RequestOptions): Promise<ErasureReceipt> {
    return this.sendPost('/erasure', body, options)
  }

  /**
   * Export what is stored about a customer.
   *
   * Streams JSON lines, without secrets; audit entries only with the scope audit:read. An export without the last
   * line, of type `end`, is incomplete. The export is recorded in the audit trail. Requires the scope read. Returns
   * the response with its body unread.
   */
  export(query: ExportCustomerQuery, options?: RequestOptions): Promise<Response> {
    return this.openStream('/export', query, options)
  }
}

/** Integrations that can be connected. */
export class Definitions extends Group {
  /**
   * List the integration definitions of a workspace.
   *
   * Live definitions, oldest first, paginated with `limit` and `cursor`. Requires the scope read.
   */
  list(query?: ListDefinitionsQuery, options?: RequestOptions): List<ListedIntegrationDefinition> {
    return this.listPages('/integration_definition', query, options)
  }

  /**
   * Get an integration definition.
   *
   * By its ID or its key. Also returns deleted definitions, with `deleted` set. `category` and `workspaceId` must
   * match if given. Requires the scope read.
   */
  get(
    integrationDefinitionId: string,
    query?: GetDefinitionQuery,
    options?: RequestOptions,
  ): Promise<ExtendedIntegrationDefinition> {
    return this.sendGet(path`/integration_definition/${integrationDefinitionId}`, query, options)
  }

  /**
   * Get the spec of an integration definition.
   *
   * The spec as the bundle returned it: its auth types, their fields, and with `x-scope-labels` what a sign-in
   * allows. Requires the scope read.
   */
  getSpec(
    integrationDefinitionId: string,
    query?: GetDefinitionSpecQuery,
    options?: RequestOptions,
  ): Promise<Record<string, unknown>> {
    return this.sendGet(
      path`/integration_definition/${integrationDefinitionId}/spec`,
      query,
      options,
    )
  }

  /**
   * Get the entry of an integration definition.
   *
   * The integration as data, as in `entry.schema.json`: to change it and upgrade the definition, or to begin
   * another one. Requires the scope read.
   */
  getEntry(
    integrationDefinitionId: string,
    query?: GetDefinitionEntryQuery,
    options?: RequestOptions,
  ): Promise<DefinitionEntry> {
    return this.sendGet(
      path`/integration_definition/${integrationDefinitionId}/entry`,
      query,
      options,
    )
  }

  /**
   * Create a custom integration definition.
   *
   * Downloads the bundle from `sourceUrl`, takes the one in `bundle`, or makes one of the data in `entry`, runs it
   * to get its spec, and stores both. Only the stored bytes are ever executed. Requires the scope definitions:write
   * or write.
   */
  create(body: CreateDefinition, options?: RequestOptions): Promise<IntegrationDefinition> {
    return this.sendPost('/integration_definition', body, options)
  }

  /**
   * Set the icon of an integration definition.
   *
   * Sets or removes the icon of a definition in one workspace. A catalogue definition keeps its own icon in other
   * workspaces, and gets it back when the icon is removed. Requires the scope definitions:write or write.
   */
  setIcon(
    integrationDefinitionId: string,
    body: SetDefinitionIcon,
    options?: RequestOptions,
  ): Promise<IntegrationDefinition> {
    return this.sendPost(
      path`/integration_definition/${integrationDefinitionId}/icon`,
      body,
      options,
    )
  }

  /**
   * Delete an integration definition.
   *
   * Marks the definition as deleted and frees its key. Fails while live accounts use it. Requires the scope
   * definitions:write or write.
   */
  delete(
    integrationDefinitionId: string,
    options?: RequestOptions,
  ): Promise<IntegrationDefinition> {
    return this.sendDelete(
      path`/integration_definition/${integrationDefinitionId}`,
      undefined,
      options,
    )
  }

  /**
   * Upgrade an integration definition.
   *
   * Downloads the bundle and runs it to get its spec; from then on the workspace uses this version. A catalogue
   * definition changes to the given `version`, or to the latest; a custom one to the content of `sourceUrl`. The
   * previous version is stored for a rollback. Accounts are not changed. Requires the scope definitions:write or
   * write.
   */
  upgrade(
    integrationDefinitionId: string,
    body?: UpgradeDefinition,
    options?: RequestOptions,
  ): Promise<UpgradedDefinition> {
    return this.sendPost(path`/integration_definition/${integrationDefinitionId}`, body, options)
  }

  /**
   * Override an integration of the catalogue.
   *
   * Changes the entry of the version that the workspace runs by a JSON merge patch (RFC 7396), for example when a
   * provider moves an endpoint. The result is checked like an entry of your own: a new host must be in `hosts` of
   * the patch. Each patch replaces the previous one. An upgrade keeps what the newer version does not have.
   * Requires `credentials:read`, too, while accounts, an OAuth app or sign-ins use the definition. Requires the
   * scope definitions:write or write.
   */
  override(
    integrationDefinitionId: string,
    body: OverrideDefinition,
    options?: RequestOptions,
  ): Promise<UpgradedDefinition> {
    return this.sendPost(
      path`/integration_definition/${integrationDefinitionId}/override`,
      body,
      options,
    )
  }

  /**
   * Roll back an integration definition.
   *
   * Changes back to the version before the last upgrade, or to the given `version` if this workspace has run it.
   * Uses the stored bytes. Requires the scope definitions:write or write.
   */
  rollback(
    integrationDefinitionId: string,
    body?: RollbackDefinition,
    options?: RequestOptions,
  ): Promise<ExtendedIntegrationDefinition> {
    return this.sendPost(
      path`/integration_definition/${integrationDefinitionId}/rollback`,
      body,
      options,
    )
  }

  /**
   * Preview an upgrade.
   *
   * Compares the specs and runs the check of the new version with the stored credentials. Changes and refreshes
   * nothing. While `state` is `running`, the checks continue in the background: get the preview again. Requires the
   * scope definitions:write or write.
   */
  preview(
    integrationDefinitionId: string,
    body?: PreviewDefinition,
    options?: RequestOptions,
  ): Promise<DefinitionPreview> {
    return this.sendPost(
      path`/integration_definition/${integrationDefinitionId}/preview`,
      body,
      options,
    )
  }

  /**
   * Get a preview of an upgrade.
   *
   * Previews are stored for an hour. Requires the scope read.
   */
  getPreview(
    integrationDefinitionId: string,
    previewId: string,
    query?: GetDefinitionPreviewQuery,
    options?: RequestOptions,
  ): Promise<DefinitionPreview> {
    return this.sendGet(
      path`/integration_definition/${integrationDefinitionId}/preview/${previewId}`,
      query,
      options,
    )
  }

  /**
   * Check an entry before it becomes a definition.
   *
   * Returns the spec that the entry would have. With `authType` and `config`, also sends its check and its identity
   * with these credentials, as for an account, and returns the requests and responses without credentials. Nothing
   * is stored. Requires the scope definitions:write or write.
   */
  check(body: CheckDefinition, options?: RequestOptions): Promise<CheckedDefinition> {
    return this.sendPost('/integration_definition/check', body, options)
  }

  /**
   * Get the health of an integration definition.
   *
   * Whether rejections by its provider count. While it is suspect, they change the status of no account, and the
   * proxy returns them unchanged. Requires the scope read.
   */
  getHealth(
    integrationDefinitionId: string,
    query?: GetDefinitionHealthQuery,
    options?: RequestOptions,
  ): Promise<DefinitionHealth> {
    return this.sendGet(
      path`/integration_definition/${integrationDefinitionId}/health`,
      query,
      options,
    )
  }

  /**
   * Believe the rejections of a provider again.
   *
   * For a suspect definition whose provider has really ended grants. Each held account is checked soon and decided
   * alone. Changes nothing if the definition is not suspect. Requires the scope definitions:write or write.
   */
  trust(
    integrationDefinitionId: string,
    body?: TrustDefinition,
    options?: RequestOptions,
  ): Promise<DefinitionHealth> {
    return this.sendPost(
      path`/integration_definition/${integrationDefinitionId}/trust`,
      body,
      options,
    )
  }
}

/** What changed in a workspace. */
export class Events extends Group {
  /**
   * List the events of a workspace.
   *
   * In the order of `sequence`. With `wait`, a request without events waits for the next one. With
   * `order=-sequence`, the newest come first, and only pages before the last have a next one. Requires the scope
   * read.
   */
  list(query?: ListEventsQuery, options?: RequestOptions): List<LinchpinEvent> {
    return this.listPages('/event', query, options)
  }

  /**
   * Get an event.
   *
   * Events are retained for a limited time. Requires the scope read.
   */
  get(eventId: string, options?: RequestOptions): Promise<LinchpinEvent> {
    return this.sendGet(path`/event/${eventId}`, undefined, options)
  }
}

/** The service itself, for its administrators. */
export class Instance extends Group {
  /**
   * Get the instance.
   *
   * For administrators of this instance, with a token that is bound to no workspace: version, database, keys,
   * settings, never a value. Requires the scope admin.
   */
  get(options?: RequestOptions): Promise<InstanceInfo> {
    return this.sendGet('/instance', undefined, options)
  }
}

/** Shareable links through which accounts are added. */
export class Links extends Group {
  /**
   * List the links of a workspace.
   *
   * Returns links that are not revoked, oldest first unless `order` says otherwise, each with its 100 newest live
   * accounts. `state` selects others. Requires the scope read.
   */
  list(query?: ListLinksQuery, options?: RequestOptions): List<Link> {
    return this.listPages('/link', query, options)
  }

  /**
   * Get a link with its accounts and definitions.
   *
   * Returns the link with its 100 newest live accounts and the definitions that it allows. If it has more accounts,
   * the `Link` header with `rel="next"` is the list of the others. Expired links are returned too, with `expired:
   * true`. Requires the scope read.
   */
  get(linkId: string, query?: GetLinkQuery, options?: RequestOptions): Promise<ExtendedLink> {
    return this.sendGet(path`/link/${linkId}`, query, options)
  }

  /**
   * Create a link.
   *
   * Through a link, customers add accounts for selected categories or for one integration definition. Requires the
   * scope links:write or write.
   */
  create(body: CreateLink, options?: RequestOptions): Promise<Link> {
    return this.sendPost('/link', body, options)
  }

  /**
   * Update a link.
   *
   * Changes its name, limits or allowlists. Fields that are not sent keep their values. What it allows to connect
   * cannot be changed: create another link. Requires the scope links:write or write.
   */
  update(linkId: string, body?: UpdateLink, options?: RequestOptions): Promise<LinkSettings> {
    return this.sendPost(path`/link/${linkId}`, body, options)
  }

  /**
   * Revoke a link.
   *
   * No further accounts can be added through the link; its accounts remain. Repeated calls return the same
   * response. Requires the scope links:write or write.
   */
  delete(linkId: string, options?: RequestOptions): Promise<ExtendedLink> {
    return this.sendDelete(path`/link/${linkId}`, undefined, options)
  }
}

/** People of the team who use the console. */
export class Members extends Group {
  /**
   * List the members of a workspace.
   *
   * Returns the people who have access to the workspace in the console, and who are invited, oldest first: at most
   * 200. The owner is a member since their first sign-in. Requires the scope audit:read.
   */
  list(query?: ListMembersQuery, options?: RequestOptions): List<ListedMember> {
    return this.listAll('/member', query, options)
  }

  /**
   * Invite a person to a workspace.
   *
   * Returns the URL on which they accept, which nothing sends: pass it on. For a person who is invited already, the
   * new invitation replaces the earlier one. No one can give a role with scopes that their token lacks. Requires
   * the scope members.
   */
  invite(body: InviteMember, options?: RequestOptions): Promise<InvitedMember> {
    return this.sendPost('/member', body, options)
  }

  /**
   * Change what a member may do.
   *
   * Takes effect with their next request. A member who loses a scope loses the access tokens that they created in
   * the console, too. Requires the scope members.
   */
  update(memberId: string, body?: UpdateMember, options?: RequestOptions): Promise<ChangedMember> {
    return this.sendPost(path`/member/${memberId}`, body, options)
  }

  /**
   * Remove a member or an invitation.
   *
   * Signs the member out with their next request, on every node, and revokes the access tokens that they created in
   * the console. Requires the scope members.
   */
  delete(memberId: string, options?: RequestOptions): Promise<ChangedMember> {
    return this.sendDelete(path`/member/${memberId}`, undefined, options)
  }
}

/** Connecting an account by signing in at the provider. */
export class OAuth extends Group {
  /**
   * Start an OAuth connection.
   *
   * Returns the URL of a page on which the user signs in at the provider: redirect the person there. With
   * `integrationAccountId`, reconnects that account. Unless `confirm` is false, a new account stays pending until
   * its one-time token is confirmed. Requires the scope accounts:write or write.
   */
  start(body?: StartOAuth, options?: RequestOptions): Promise<StartedOAuth> {
    return this.sendPost('/oauth', body, options)
  }

  /**
   * Confirm an OAuth connection.
   *
   * Activates the pending account, or stores the new credentials of a reconnect. A token can be used once. Confirm
   * only if the user who returned to redirectURL is the user who started. Requires the scope accounts:write or
   * write.
   */
  confirm(body: ConfirmOAuth, options?: RequestOptions): Promise<IntegrationAccount> {
    return this.sendPost('/oauth/confirm', body, options)
  }
}

/** The OAuth clients of a workspace at providers. */
export class OAuthApps extends Group {
  /**
   * Create an OAuth app.
   *
   * A workspace has one default app per definition, and one for each customer with an app of its own
   * (`accountIdentifier`), besides those that have a successor. The client secret is stored encrypted and never
   * returned. Omit it for a public client. Requires the scope apps:write or write.
   */
  create(body: CreateOAuthApp, options?: RequestOptions): Promise<IntegrationOAuthApp> {
    return this.sendPost('/integration_oauth', body, options)
  }

  /**
   * List the OAuth apps of a workspace.
   *
   * Oldest first, paginated with `limit` and `cursor`. Requires the scope read.
   */
  list(query?: ListOAuthAppsQuery, options?: RequestOptions): List<IntegrationOAuthApp> {
    return this.listPages('/integration_oauth', query, options)
  }

  /**
   * List the OAuth apps of a workspace with IDs and names only.
   *
   * What a page needs to start connections: no client ID and no scopes. Requires the scope read.
   */
  listIds(query?: ListOAuthAppIdsQuery, options?: RequestOptions): List<OAuthAppIds> {
    return this.listAll('/integration_oauth/just_ids', query, options)
  }

  /**
   * Get an OAuth app.
   *
   * The client secret is never returned. Requires the scope read.
   */
  get(integrationOAuthAppId: string, options?: RequestOptions): Promise<IntegrationOAuthApp> {
    return this.sendGet(path`/integration_oauth/${integrationOAuthAppId}`, undefined, options)
  }

  /**
   * Update an OAuth app.
   *
   * Replaces the given fields. An omitted client secret is unchanged. Existing accounts use the new values from
   * their next token refresh, for which providers reject another client: create a successor instead of changing
   * `clientId` while the app has accounts. Requires the scope apps:write or write.
   */
  update(
    integrationOAuthAppId: string,
    body?: UpdateOAuthApp,
    options?: RequestOptions,
  ): Promise<IntegrationOAuthApp> {
    return this.sendPost(path`/integration_oauth/${integrationOAuthAppId}`, body, options)
  }

  /**
   * Diagnose an OAuth app.
   *
   * Sends the provider one token request with a made-up code, compares scopes, and predicts whether refresh tokens
   * are issued. Problems of the app are reported with status 200 in `checks`. Requires the scope apps:write or
   * write.
   */
  test(integrationOAuthAppId: string, options?: RequestOptions): Promise<OAuthAppReport> {
    return this.sendPost(path`/integration_oauth/${integrationOAuthAppId}/test`, undefined, options)
  }

  /**
   * Delete an OAuth app.
   *
   * Returns the last state of the app. Fails while live accounts are connected with it: give it a successor, and
   * have them reconnect. The successor of a default app becomes the default. Requires the scope apps:write or
   * write.
   */
  delete(integrationOAuthAppId: string, options?: RequestOptions): Promise<IntegrationOAuthApp> {
    return this.sendDelete(path`/integration_oauth/${integrationOAuthAppId}`, undefined, options)
  }
}

/** The log of requests to the API and to providers. */
export class Requests extends Group {
  /**
   * List requests.
   *
   * What happened at 14:02? Requests to this API and to providers of the last 7 days, at most 100,000, newest
   * first, a second after they ended. Requires the scope read.
   */
  list(query?: ListRequestsQuery, options?: RequestOptions): List<LoggedRequest> {
    return this.listPages('/request', query, options)
  }

  /**
   * Get a request.
   *
   * One entry of List requests. With the scope `credentials:read`, it has the `exchange` that a debug window has
   * recorded of it. Requires the scope read.
   */
  get(requestLogId: string, options?: RequestOptions): Promise<RequestDetails> {
    return this.sendGet(path`/request/${requestLogId}`, undefined, options)
  }
}

/** What an AI agent may do with accounts. */
export class SignInRequests extends Group {
  /**
   * Get a sign-in request.
   *
   * Says why a person was sent to the sign-in page of the product. Requires the scope agents:approve.
   */
  get(signInRequestId: string, options?: RequestOptions): Promise<SignInRequest> {
    return this.sendGet(path`/sign_in_request/${signInRequestId}`, undefined, options)
  }

  /**
   * Say who is signed in.
   *
   * Names the customer whose session the product has verified in this browser, never one from the request. Redirect
   * the browser to `returnURL`. Requires the scope agents:approve.
   */
  confirm(
    signInRequestId: string,
    body: ConfirmSignIn,
    options?: RequestOptions,
  ): Promise<ConfirmedSignIn> {
    return this.sendPost(path`/sign_in_request/${signInRequestId}/confirm`, body, options)
  }

  /**
   * End a sign-in request.
   *
   * For a person who cannot or does not want to sign in. The URL stops working. Requires the scope agents:approve.
   */
  refuse(signInRequestId: string, options?: RequestOptions): Promise<SignInRequest> {
    return this.sendPost(path`/sign_in_request/${signInRequestId}/refuse`, undefined, options)
  }
}

/** How often something happened, by hour or day. */
export class Statistics extends Group {
  /**
   * Get statistics.
   *
   * Counts what happened in a workspace by hour or day, at most 5 seconds ago: `opens` (pages of links and connect
   * sessions that were opened), `attempts` (attempts to connect an account that have ended; the code is their
   * outcome), `connects` (attempts that connected or reconnected an account), `connect_failures` (attempts that
   * failed; the code is the error), `refreshes` (token refreshes), `refresh_failures` (those that returned no
   * tokens; the code is their outcome), `checks` (checks of the stored credentials of accounts), `check_failures`
   * (those that did not find credentials that work; the code is that of the check, or the error), `proxy_calls`
   * (requests that the proxy has sent to providers; the code is the class of the status, such as `2xx`, or why
   * there was no response), `proxy_ms` (the same requests, whose `sum` is the time until the response began, in
   * milliseconds), `missing_scopes` (those that the provider refused for lack of a scope; the code is `known` if
   * the integration or its OAuth app has the scopes that it named, otherwise `unknown`), `needs_reauth` (accounts
   * that only their customers can reconnect; the code is the reason), `deliveries` (attempts to deliver an event to
   * a webhook endpoint), `delivery_failures` (those that failed; the code is as in the log of deliveries),
   * `agent_calls` (requests of agents; the code is allow, approve or deny, as their rules have it). At most 20
   * metrics, and 1,000 steps. Requires the scope read.
   */
  get(query: GetStatisticsQuery, options?: RequestOptions): Promise<WorkspaceStatistics> {
    return this.sendGet('/statistics', query, options)
  }
}

/** Access tokens of the API. */
export class Tokens extends Group {
  /**
   * Create a token with at most the scopes of this one.
   *
   * The new token ends with this one, by expiry or revocation; one that a person creates in the console, with their
   * membership. It is returned only once. Requires the scope tokens.
   */
  create(body: CreateToken, options?: RequestOptions): Promise<NewToken> {
    return this.sendPost('/user/token', body, options)
  }

  /**
   * List tokens.
   *
   * Returns the tokens of the user that are not revoked, oldest first, without the token values. Requires the scope
   * tokens.
   */
  list(options?: RequestOptions): List<Token> {
    return this.listAll('/user/token', undefined, options)
  }

  /**
   * Revoke a token and all tokens created with it.
   *
   * Takes effect immediately. Users that were created with them keep their tokens. Repeated calls return the same
   * response. Requires the scope tokens.
   */
  delete(tokenId: string, options?: RequestOptions): Promise<Token> {
    return this.sendDelete(path`/user/token/${tokenId}`, undefined, options)
  }
}

/** Users of the API. */
export class Users extends Group {
  /**
   * Get the current user.
   *
   * Works with any valid token. `Workspace` lists the workspaces that the token can access.
   */
  getCurrent(options?: RequestOptions): Promise<User> {
    return this.sendGet('/user', undefined, options)
  }

  /**
   * Create a user with a workspace and a token.
   *
   * For administrators of this instance. The new user starts with one workspace and one token, which is returned
   * only once. Requires the scope admin.
   */
  create(body: CreateUser, options?: RequestOptions): Promise<NewUser> {
    return this.sendPost('/user', body, options)
  }
}

/** URLs that receive the events of a workspace. */
export class WebhookEndpoints extends Group {
  /**
   * Create a webhook endpoint.
   *
   * It receives the events of the workspace from now on. Its secret is returned only here. A workspace has at most
   * 100. Requires the scope webhooks.
   */
  create(body: CreateWebhookEndpoint, options?: RequestOptions): Promise<NewWebhookEndpoint> {
    return this.sendPost('/webhook_endpoint', body, options)
  }

  /**
   * List the webhook endpoints of a workspace.
   *
   * Oldest first. Requires the scope read.
   */
  list(query?: ListWebhookEndpointsQuery, options?: RequestOptions): List<WebhookEndpoint> {
    return this.listPages('/webhook_endpoint', query, options)
  }

  /**
   * Get a webhook endpoint.
   *
   * Returns its settings and its state, without its secret. Requires the scope read.
   */
  get(webhookEndpointId: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.sendGet(path`/webhook_endpoint/${webhookEndpointId}`, undefined, options)
  }

  /**
   * Update a webhook endpoint.
   *
   * Changes the given fields. `"paused": false` starts a paused, failing or disabled endpoint; `replay` says which
   * events are sent again. A `url` of another origin requires `headers` again, if the endpoint has any; otherwise
   * the response is 403 `secret_required`. Requires the scope webhooks.
   */
  update(
    webhookEndpointId: string,
    body?: UpdateWebhookEndpoint,
    options?: RequestOptions,
  ): Promise<WebhookEndpoint> {
    return this.sendPost(path`/webhook_endpoint/${webhookEndpointId}`, body, options)
  }

  /**
   * Delete a webhook endpoint.
   *
   * Nothing is sent to it anymore, and its deliveries are deleted. Returns its last state. Requires the scope
   * webhooks.
   */
  delete(webhookEndpointId: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.sendDelete(path`/webhook_endpoint/${webhookEndpointId}`, undefined, options)
  }

  /**
   * Rotate the secret of a webhook endpoint.
   *
   * Returns a new secret. The former one signs deliveries too for `overlapSeconds`, a day by default. Requires the
   * scope webhooks.
   */
  rotateSecret(
    webhookEndpointId: string,
    body?: RotateWebhookSecret,
    options?: RequestOptions,
  ): Promise<NewWebhookEndpoint> {
    return this.sendPost(path`/webhook_endpoint/${webhookEndpointId}/rotate`, body, options)
  }

  /**
   * Send an example event to a webhook endpoint.
   *
   * Sends it at once, whatever the state of the endpoint, and returns the response. The event has the sequence
   * number 0; it is neither stored nor retried. Requires the scope webhooks.
   */
  test(
    webhookEndpointId: string,
    body?: TestWebhookEndpoint,
    options?: RequestOptions,
  ): Promise<WebhookTestResult> {
    return this.sendPost(path`/webhook_endpoint/${webhookEndpointId}/test`, body, options)
  }

  /**
   * List the deliveries to a webhook endpoint.
   *
   * The newest events first. Requires the scope read.
   */
  listDeliveries(
    webhookEndpointId: string,
    query?: ListWebhookDeliveriesQuery,
    options?: RequestOptions,
  ): List<WebhookDelivery> {
    return this.listPages(path`/webhook_endpoint/${webhookEndpointId}/delivery`, query, options)
  }

  /**
   * Get the delivery of an event to a webhook endpoint.
   *
   * Returns the last delivery of the event, with the attempts that failed. Requires the scope read.
   */
  getDelivery(
    webhookEndpointId: string,
    eventId: string,
    options?: RequestOptions,
  ): Promise<WebhookDeliveryDetails> {
    return this.sendGet(
      path`/webhook_endpoint/${webhookEndpointId}/delivery/${eventId}`,
      undefined,
      options,
    )
  }

  /**
   * Send events to a webhook endpoint again.
   *
   * Send one of `eventIds`, `since` with `until`, or `failed`: true. Events that happen meanwhile come first.
   * Events that are on their way are not counted. Requires the scope webhooks.
   */
  replay(
    webhookEndpointId: string,
    body?: ReplayWebhookEvents,
    options?: RequestOptions,
  ): Promise<QueuedReplay> {
    return this.sendPost(path`/webhook_endpoint/${webhookEndpointId}/replay`, body, options)
  }
}

/** Workspaces that own all other resources. */
export class Workspaces extends Group {
  /**
   * Create a workspace.
   *
   * The workspace belongs to the user of this token. A token that is bound to a workspace cannot create another
   * one. Requires the scope workspace:write or write.
   */
  create(body?: CreateWorkspace, options?: RequestOptions): Promise<WorkspaceSettings> {
    return this.sendPost('/workspace', body, options)
  }

  /**
   * List the workspaces that the token can access.
   *
   * Returns the workspaces with their settings, oldest first. Requires the scope read.
   */
  list(options?: RequestOptions): List<WorkspaceSettings> {
    return this.listAll('/workspace', undefined, options)
  }

  /**
   * Change the settings of a workspace.
   *
   * Changes the settings in the request and leaves the others unchanged. Lists and the theme are replaced as a
   * whole. Requires the scope workspace:write or write.
   */
  update(
    workspaceId: string,
    body?: UpdateWorkspace,
    options?: RequestOptions,
  ): Promise<WorkspaceSettings> {
    return this.sendPost(path`/workspace/${workspaceId}`, body, options)
  }

  /**
   * Delete a workspace and everything in it.
   *
   * From now on, no request finds the workspace, and its tokens are revoked. Revokes the tokens of its accounts at
   * their providers, erases its data and destroys its data key. Responds after at most 20 seconds; a longer
   * deletion continues in the background. Requires the scope workspace:write or write.
   */
  delete(workspaceId: string, options?: RequestOptions): Promise<DeletedWorkspace> {
    return this.sendDelete(path`/workspace/${workspaceId}`, undefined, options)
  }
}
