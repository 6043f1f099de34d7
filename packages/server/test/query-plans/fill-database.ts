import type { OAuthAppId } from '../../src/integrations/oauth-apps/oauth-app.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { type Id, newId, newLinkId } from '../../src/platform/storage/id.ts'
import { createSampleRows, type SampleRows } from '../../src/platform/storage/test/sample-rows.ts'

/** How many rows of each kind {@link fillDatabase} inserts, apart from the accounts. */
const COUNTS = {
  users: 2_000,
  workspaces: 3_000,
  definitions: 400,
  links: 2_000,
  tokens: 2_000,
  audit_events: 5_000,
  oauth_apps: 300,
  oauth_sessions: 2_000,
  submissions: 2_000,
  connect_sessions: 2_000,
  connect_attempts: 5_000,
  request_log: 5_000,
  statistics: 20_000,
  debug_windows: 1_000,
  debug_exchanges: 5_000,
  bulk_jobs: 1_000,
  agent_approvals: 2_000,
  agent_sessions: 2_000,
  sign_in_requests: 2_000,
  mcp_tools: 2_000,
  oauth_server_records: 2_000,
  bulk_job_items: 5_000,
  rotations: 1_000,
  token_leases: 1_000,
  definition_icons: 1_000,
  definition_pins: 1_000,
  previous_versions: 1_000,
  previews: 500,
  idempotency_keys: 5_000,
} as const

/** Rows of the user's workspace that queries may look for. */
export interface FilledRows {
  readonly userId: Id<'usr'>
  readonly workspaceId: Id<'wsp'>
  readonly definitionId: Id<'def'>
  readonly accountId: Id<'acc'>
  readonly linkId: Id<'lnk'>
  readonly oauthAppId: OAuthAppId
}

/**
 * Fills a migrated database so that one workspace of one user has half of everything, a few of its rows are unusual
 * (pending, `needs_reauth`, due for a refresh), and most links, tokens and sessions have ended.
 */
export async function fillDatabase(database: Database, accountCount = 20_000): Promise<FilledRows> {
  const start = 1_700_000_000_000
  const base = createSampleRows(start)
  const insert = <T extends keyof SampleRows & string>(
    table: T,
    insertRows: readonly SampleRows[T][],
  ) => insertInChunks(database, table, insertRows)
  const insertRows = <T extends keyof SampleRows & string>(
    count: number,
    create: (index: number, sample: SampleRows) => SampleRows[T],
  ) => Array.from({ length: count }, (_, index) => create(index, createSampleRows(start + index)))

  const owner = { userId: base.users.user_id, workspaceId: base.workspaces.workspace_id }
  await insert('users', [base.users, ...insertRows<'users'>(COUNTS.users, (_, { users }) => users)])
  await insert('workspaces', [base.workspaces])
  const workspaces = insertRows<'workspaces'>(COUNTS.workspaces, (_, sample) => ({
    ...sample.workspaces,
    slug: `slug-${sample.workspaces.workspace_id}`,
    user_id: owner.userId,
    // Requests without a workspace use the oldest one.
    created_at: start * 2,
  }))
  await insert('workspaces', workspaces)
  const workspaceOf = (index: number) =>
    (index % 2 === 0 ? undefined : workspaces[index % workspaces.length]?.workspace_id) ??
    owner.workspaceId
  const bundles = insertRows<'bundles'>(COUNTS.definitions, (_, sample) => sample.bundles)
  await insert('bundles', bundles)
  const definitions = insertRows<'definitions'>(COUNTS.definitions, (index, sample) => ({
    ...sample.definitions,
    workspace_id: workspaceOf(index),
    key: `key_${index}`,
    bundle_sha256: bundles[index]?.sha256 ?? '',
    deleted_at: index % 2 === 0 ? null : start,
  }))
  await insert('definitions', definitions)
  const getDefinitionId = (index: number) => definitions[index % 7]?.definition_id ?? 'def_'
  const links = insertRows<'links'>(COUNTS.links, (index, sample) => ({
    ...sample.links,
    link_id: newLinkId(),
    workspace_id: workspaceOf(index),
    definition_id: null,
    revoked_at: index % 8 < 6 ? start : null,
  }))
  await insert('links', links)
  await insert(
    'idempotency_keys',
    insertRows<'idempotency_keys'>(COUNTS.idempotency_keys, (index, sample) => ({
      ...sample.idempotency_keys,
      expires_at: Number.MAX_SAFE_INTEGER - index,
    })),
  )
  const apps = insertRows<'oauth_apps'>(COUNTS.oauth_apps, (index, sample) => ({
    ...sample.oauth_apps,
    // Half of them in one workspace, the others of one definition.
    workspace_id: (index % 2 === 0 ? owner.workspaceId : workspaces[index]?.workspace_id) ?? 'wsp_',
    definition_id:
      (index % 2 === 0 ? definitions[index]?.definition_id : getDefinitionId(0)) ?? 'def_',
    client_id: `client-${index % 50}`,
    ...(index % 10 === 4 ? { is_default: 0, account_identifier: `customer-${index % 20}` } : {}),
  }))
  await insert('oauth_apps', apps)
  const accounts = insertRows<'accounts'>(accountCount, (index, sample) => ({
    ...sample.accounts,
    account_id: newId('acc', start + index),
    workspace_id: workspaceOf(index),
    definition_id: getDefinitionId(index),
    link_id: index % 3 === 0 ? (links[index % 400]?.link_id ?? null) : null,
    account_identifier: `customer-${index % 997}`,
    identity_id: `user-${index % 1_999}`,
    oauth_app_id: index % 3 === 0 ? (apps[index % apps.length]?.oauth_app_id ?? null) : null,
    status: index % 1_000 === 0 ? 'needs_reauth' : 'active',
    ...(index % 1_000 === 1
      ? { status: 'pending', confirm_hash: Buffer.from(`${index}`), confirm_until: start }
      : {}),
    deleted_at: index % 10 === 0 ? start : null,
    created_at: start + index,
    tags: JSON.stringify({ plan: index % 3 === 0 ? 'free' : 'pro', size: String(index % 500) }),
  }))
  // Before the accounts, which would otherwise be rewritten for the previous version.
  await insert(
    'account_tokens',
    accounts
      .filter(({ deleted_at }) => deleted_at === null)
      .map(({ workspace_id, account_id }, index) => ({
        ...base.account_tokens,
        workspace_id,
        account_id,
        refresh_at: index % 500 === 0 ? start + index : start * 2,
      })),
  )
  await insert('accounts', accounts)
  await insert(
    'account_scopes',
    accounts
      .filter(({ deleted_at }) => deleted_at === null)
      .flatMap(({ workspace_id, account_id, created_at }, index) =>
        index % 4 === 0
          ? [
              {
                ...base.account_scopes,
                workspace_id,
                account_id,
                created_at,
                scope: `s${index % 20}`,
              },
            ]
          : [],
      ),
  )
  await insert(
    'account_health',
    accounts
      .filter(({ deleted_at }) => deleted_at === null)
      .map(({ workspace_id, account_id, definition_id }, index) => ({
        ...base.account_health,
        account_id,
        workspace_id,
        definition_id,
        last_ok_at: index % 100 === 0 ? null : start + index,
        check_at: index % 500 === 0 ? null : start + index,
        rejected_at: index % 20 === 0 ? start + index : null,
        is_held: index % 20 === 0 ? (1 as const) : (0 as const),
      })),
  )
  const createOwnedColumns = (index: number) => ({
    workspace_id: workspaceOf(index),
    definition_id: getDefinitionId(index),
  })
  await insert(
    'tokens',
    insertRows<'tokens'>(COUNTS.tokens, (index, sample) => ({
      ...sample.tokens,
      user_id: owner.userId,
      workspace_id: workspaceOf(index),
      expires_at: null,
      revoked_at: index % 8 < 6 ? start : null,
    })),
  )
  await insert(
    'audit_events',
    insertRows<'audit_events'>(COUNTS.audit_events, (index, sample) => ({
      ...sample.audit_events,
      workspace_id: workspaceOf(index),
      subject: index % 7 === 0 ? sample.accounts.account_id : null,
      // A few were written just now.
      sequence: index % 1_000 === 0 ? null : index,
    })),
  )
  await insert(
    'events',
    insertRows<'events'>(COUNTS.audit_events, (index, { events }) => ({
      ...events,
      workspace_id: workspaceOf(index),
      account_identifier: `customer-${index % 97}`,
      // Above the positions that the database assigns.
      position: 1_000_000 + index,
      // A few were committed just now.
      sequence: index % 1_000 === 0 ? null : index,
    })),
  )
  await insert(
    'event_sequences',
    [owner.workspaceId, ...workspaces.map(({ workspace_id }) => workspace_id)].map(
      (workspace_id) => ({ workspace_id, last: COUNTS.audit_events, oldest: 1 }),
    ),
  )
  await insert(
    'audit_chains',
    [owner.workspaceId, ...workspaces.map(({ workspace_id }) => workspace_id)].map(
      (workspace_id) => ({
        workspace_id,
        last: COUNTS.audit_events,
        last_hash: '',
        oldest: 1,
        base_hash: '',
        checkpoint_sequence: COUNTS.audit_events,
        checkpoint_at: start,
      }),
    ),
  )
  await insert(
    'account_changes',
    insertRows<'account_changes'>(COUNTS.audit_events, (index, sample) => ({
      ...sample.account_changes,
      workspace_id: workspaceOf(index),
    })),
  )
  await insert(
    'oauth_sessions',
    insertRows<'oauth_sessions'>(COUNTS.oauth_sessions, (index, sample) => ({
      ...sample.oauth_sessions,
      ...createOwnedColumns(index),
      ...(index % 8 < 7 ? { finished_at: start, sealed: null, outcome: 'connected' } : {}),
    })),
  )
  await insert(
    'submissions',
    insertRows<'submissions'>(COUNTS.submissions, (index, sample) => ({
      ...sample.submissions,
      ...createOwnedColumns(index),
      link_id: links[index % links.length]?.link_id ?? 'lnk_',
    })),
  )
  await insert(
    'connect_sessions',
    insertRows<'connect_sessions'>(COUNTS.connect_sessions, (index, sample) => ({
      ...sample.connect_sessions,
      workspace_id: workspaceOf(index),
      link_id: links[index % links.length]?.link_id ?? 'lnk_',
    })),
  )
  await insert(
    'connect_attempts',
    insertRows<'connect_attempts'>(COUNTS.connect_attempts, (index, sample) => ({
      ...sample.connect_attempts,
      ...createOwnedColumns(index),
      link_id: index % 2 === 0 ? (links[index % links.length]?.link_id ?? null) : null,
      outcome: index % 4 === 0 ? 'failed' : 'connected',
      code: index % 4 === 0 ? 'provider_error' : null,
      account_identifier: `customer-${index % 97}`,
    })),
  )
  await insert(
    'bulk_jobs',
    insertRows<'bulk_jobs'>(COUNTS.bulk_jobs, (index, sample) => ({
      ...sample.bulk_jobs,
      workspace_id: workspaceOf(index),
      alive_until: null,
      finished_at: index,
    })),
  )
  await insert(
    'agent_sessions',
    insertRows<'agent_sessions'>(COUNTS.agent_sessions, (index, sample) => ({
      ...sample.agent_sessions,
      workspace_id: workspaceOf(index),
      account_identifier: index % 2 === 0 ? `customer-${index % 97}` : null,
      created_at: index,
      expires_at: index,
    })),
  )
  await insert(
    'agent_approvals',
    insertRows<'agent_approvals'>(COUNTS.agent_approvals, (index, sample) => ({
      ...sample.agent_approvals,
      workspace_id: workspaceOf(index),
      account_id: `acc_${index}`,
      status: index % 20 === 0 ? 'pending' : 'used',
      created_at: index,
      expires_at: index,
    })),
  )
  await insert(
    'oauth_server_records',
    insertRows<'oauth_server_records'>(COUNTS.oauth_server_records, (index, sample) => ({
      ...sample.oauth_server_records,
      expires_at: index,
    })),
  )
  await insert(
    'sign_in_requests',
    insertRows<'sign_in_requests'>(COUNTS.sign_in_requests, (index, sample) => ({
      ...sample.sign_in_requests,
      workspace_id: workspaceOf(index),
      expected_identifier: `customer-${index % 97}`,
      created_at: index,
      expires_at: index,
    })),
  )
  await insert(
    'mcp_tools',
    insertRows<'mcp_tools'>(COUNTS.mcp_tools, (index, sample) => ({
      ...sample.mcp_tools,
      workspace_id: workspaceOf(index),
      server_hash: `server-${index % 97}`,
      seen_at: index,
    })),
  )
  await insert(
    'bulk_job_items',
    insertRows<'bulk_job_items'>(COUNTS.bulk_job_items, (index, sample) => ({
      ...sample.bulk_job_items,
      workspace_id: workspaceOf(index),
      sealed_url: null,
      url_until: null,
    })),
  )
  await insert(
    'request_log',
    insertRows<'request_log'>(COUNTS.request_log, (index, sample) => ({
      ...sample.request_log,
      workspace_id: workspaceOf(index),
      kind: index % 2 === 0 ? 'api' : 'provider',
      status: index % 10 === 0 ? 500 : 200,
      status_class: index % 10 === 0 ? 5 : 2,
      failed: index % 10 === 0 ? 1 : 0,
      request_id: `req-${index}`,
    })),
  )
  await insert(
    'statistics',
    insertRows<'statistics'>(COUNTS.statistics, (index, sample) => ({
      ...sample.statistics,
      workspace_id: workspaceOf(index),
      definition_id: index % 3 === 0 ? '' : getDefinitionId(index),
      code: index % 2 === 0 ? '' : `code_${index % 9}`,
      metric: index % 5 === 0 ? 'connects' : 'connect_failures',
      bucket: index * 3_600_000,
    })),
  )
  await insert(
    'debug_windows',
    insertRows<'debug_windows'>(COUNTS.debug_windows, (index, sample) => ({
      ...sample.debug_windows,
      workspace_id: workspaceOf(index),
      ends_at: index,
    })),
  )
  await insert(
    'debug_exchanges',
    insertRows<'debug_exchanges'>(COUNTS.debug_exchanges, (index, sample) => ({
      ...sample.debug_exchanges,
      workspace_id: workspaceOf(index),
      at: index,
    })),
  )
  await insert(
    'rotations',
    insertRows<'rotations'>(COUNTS.rotations, (index, sample) => ({
      ...sample.rotations,
      workspace_id: workspaceOf(index),
    })),
  )
  await insert(
    'token_leases',
    insertRows<'token_leases'>(COUNTS.token_leases, (index, sample) => ({
      ...sample.token_leases,
      workspace_id: workspaceOf(index),
    })),
  )
  await insert(
    'link_counters',
    links.map(({ link_id }) => ({ ...base.link_counters, link_id })),
  )
  await insert(
    'workspace_keys',
    workspaces.map(({ workspace_id }) => ({ ...base.workspace_keys, workspace_id })),
  )
  await insert(
    'catalogue_versions',
    definitions.map(({ definition_id, bundle_sha256 }) => ({
      ...base.catalogue_versions,
      definition_id,
      bundle_sha256,
    })),
  )
  // Half of them of one definition, as if it belonged to the catalogue.
  const versioned = (index: number) => ({
    workspace_id: workspaces[index]?.workspace_id ?? 'wsp_',
    definition_id: getDefinitionId(index % 2),
    bundle_sha256: bundles[index % bundles.length]?.sha256 ?? '',
  })
  await insert(
    'definition_pins',
    insertRows<'definition_pins'>(COUNTS.definition_pins, (index, sample) => ({
      ...sample.definition_pins,
      ...versioned(index),
    })),
  )
  await insert(
    'definition_icons',
    insertRows<'definition_icons'>(COUNTS.definition_icons, (index, sample) => ({
      ...sample.definition_icons,
      workspace_id: workspaces[index]?.workspace_id ?? 'wsp_',
      definition_id: getDefinitionId(index % 2),
      path: `/icons/${index}.png`,
    })),
  )
  await insert(
    'previous_versions',
    insertRows<'previous_versions'>(COUNTS.previous_versions, (index, sample) => ({
      ...sample.previous_versions,
      ...versioned(index),
    })),
  )
  await insert(
    'previews',
    insertRows<'previews'>(COUNTS.previews, (index, sample) => ({
      ...sample.previews,
      ...versioned(index),
    })),
  )
  return {
    ...owner,
    definitionId: getDefinitionId(0),
    accountId: accounts[2]?.account_id ?? 'acc_',
    linkId: links[6]?.link_id ?? 'lnk_',
    oauthAppId: apps[0]?.oauth_app_id ?? 'oap_',
  }
}

async function insertInChunks<T extends keyof SampleRows & string>(
  database: Database,
  table: T,
  insertRows: readonly SampleRows[T][],
): Promise<void> {
  for (let at = 0; at < insertRows.length; at += 250)
    await database.transaction(async (trx) => {
      await trx
        .insertInto(table)
        .values(insertRows.slice(at, at + 250) as never)
        .execute()
    })
}
