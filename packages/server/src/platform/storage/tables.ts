import type { BulkJobItemRow, BulkJobRow } from './rows/bulk-job-rows.ts'
import type {
  AccountTagRow,
  BundleRow,
  CatalogueVersionRow,
  DefinitionEpochRow,
  DefinitionIconRow,
  DefinitionPinRow,
  DefinitionRow,
  InstanceKeyRow,
  PreviewRow,
  PreviousVersionRow,
  RegistryRow,
  RotationRow,
  TokenLeaseRow,
} from './rows/catalogue-rows.ts'
import type {
  ConnectAttemptRow,
  ConnectFailureRow,
  LinkAliasRow,
  LinkCounterRow,
} from './rows/connect-rows.ts'
import type {
  ConsoleSessionRow,
  MemberRow,
  PasskeyRow,
  SessionTokenRow,
  SignInClaimRow,
  VerifiedEmailRow,
} from './rows/console-rows.ts'
import type { AccountChangeRow, EventRow, EventSequenceRow } from './rows/event-rows.ts'
import type { DebugExchangeRow, DebugWindowRow, RequestLogRow } from './rows/request-rows.ts'
import type {
  AuditChainRow,
  AuditEventRow,
  AuditInboxRow,
  ErasureRow,
  IdempotencyKeyRow,
  KeyCheckRow,
  RateUsageRow,
  TokenRow,
  UserRow,
  WorkspaceDeletionRow,
  WorkspaceKeyRow,
  WorkspaceRow,
} from './rows/user-rows.ts'

export type * from './rows/bulk-job-rows.ts'
export type * from './rows/catalogue-rows.ts'
export type * from './rows/connect-rows.ts'
export type * from './rows/console-rows.ts'
export type * from './rows/event-rows.ts'
export type * from './rows/request-rows.ts'
export type * from './rows/user-rows.ts'

/**
 * The current tables with all columns.
 *
 * Times are epoch milliseconds, booleans 0 or 1, JSON is text and bytes are Uint8Array, on both SQLite and
 * PostgreSQL. Resources that are declared with `defineResource` add their tables to it.
 */
export interface Tables {
  users: UserRow
  workspaces: WorkspaceRow
  tokens: TokenRow
  rate_usage: RateUsageRow
  bundles: BundleRow
  definitions: DefinitionRow
  account_tags: AccountTagRow
  rotations: RotationRow
  token_leases: TokenLeaseRow
  workspace_keys: WorkspaceKeyRow
  key_checks: KeyCheckRow
  audit_events: AuditEventRow
  audit_chains: AuditChainRow
  audit_inbox: AuditInboxRow
  events: EventRow
  event_sequences: EventSequenceRow
  account_changes: AccountChangeRow
  link_aliases: LinkAliasRow
  link_counters: LinkCounterRow
  connect_failures: ConnectFailureRow
  connect_attempts: ConnectAttemptRow
  definition_epochs: DefinitionEpochRow
  definition_pins: DefinitionPinRow
  definition_icons: DefinitionIconRow
  previous_versions: PreviousVersionRow
  catalogue_versions: CatalogueVersionRow
  registries: RegistryRow
  instance_keys: InstanceKeyRow
  previews: PreviewRow
  idempotency_keys: IdempotencyKeyRow
  erasures: ErasureRow
  workspace_deletions: WorkspaceDeletionRow
  members: MemberRow
  console_sessions: ConsoleSessionRow
  session_tokens: SessionTokenRow
  sign_in_claims: SignInClaimRow
  verified_emails: VerifiedEmailRow
  request_log: RequestLogRow
  debug_windows: DebugWindowRow
  debug_exchanges: DebugExchangeRow
  passkeys: PasskeyRow
  bulk_jobs: BulkJobRow
  bulk_job_items: BulkJobItemRow
}
