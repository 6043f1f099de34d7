import { newId, newLinkId } from './id.ts'
import type { Tables } from './tables.ts'

/** One row for every table, in an order that foreign keys allow, with new ids each time: for tests. */
export function sampleRows(now = 1_790_000_000_000): Tables {
  const user_id = newId('usr', now)
  const workspace_id = newId('wsp', now)
  const definition_id = newId('def', now)
  const link_id = newLinkId()
  const times = { created_at: now, updated_at: now + 1 }
  return {
    users: {
      user_id,
      email: `Ada+${user_id}@Example.com`,
      email_key: `ada+${user_id}@example.com`,
      firstname: 'Ada',
      lastname: 'Lovelace 🜁',
      ...times,
    },
    workspaces: {
      workspace_id,
      user_id,
      slug: 'workspace-abc123',
      name: '',
      settings: '{"b":1,"a":[true,null]}',
      initial_setup_complete: 1,
      anonymous_data_collection: 0,
      ...times,
      deleted_at: null,
    },
    tokens: {
      token_id: newId('tok', now),
      token_hash: Buffer.from(user_id),
      user_id,
      workspace_id,
      parent_token_id: null,
      name: 'CI',
      scopes: 'read write',
      origin: 'user',
      created_at: now,
      expires_at: Number.MAX_SAFE_INTEGER,
      revoked_at: null,
      last_used_at: null,
    },
    bundles: {
      sha256: Buffer.from(definition_id).toString('hex'),
      code: Buffer.from([0, 1, 255, 254]),
      size: 4,
      created_at: now,
    },
    ...integrationRows(now, { workspace_id, definition_id, link_id }),
    workspace_keys: {
      workspace_id,
      key_id: 'k1',
      wrapped_key: Buffer.alloc(60, 7),
      ...times,
    },
    key_checks: { key_id: `k-${user_id.slice(-20)}`, sealed: Buffer.alloc(50, 9), created_at: now },
    audit_events: {
      event_id: newId('evt', now),
      at: now,
      workspace_id,
      user_id,
      token_id: null,
      action: 'account.create',
      subject: null,
      detail: '{}',
      request_id: 'req-1',
    },
  }
}

/** The tables in an order that foreign keys allow. */
export const TABLE_ORDER = [
  'users',
  'workspaces',
  'tokens',
  'bundles',
  'definitions',
  'links',
  'accounts',
  'workspace_keys',
  'key_checks',
  'audit_events',
] as const satisfies (keyof Tables)[]

function integrationRows(
  now: number,
  ids: { workspace_id: string; definition_id: string; link_id: string },
): Pick<Tables, 'definitions' | 'links' | 'accounts'> {
  const { workspace_id, definition_id, link_id } = ids
  const times = { created_at: now, updated_at: now + 1 }
  return {
    definitions: {
      definition_id,
      workspace_id,
      key: 'acme_desk',
      name: 'Acme Desk',
      icon: '',
      version: '0.0.1',
      release_stage: 'CUSTOM',
      type_key: 'TICKETING',
      type_name: 'Ticketing',
      source_url: 'https://example.com/acme.js',
      bundle_sha256: Buffer.from(definition_id).toString('hex'),
      spec: '{"auth_specification":{}}',
      ...times,
      deleted_at: null,
    },
    links: {
      link_id,
      workspace_id,
      name: 'For Acme',
      can_expire: 1,
      expires_in: 3600,
      expires_at: now + 3_600_000,
      prefer_oauth: 0,
      category: '[]',
      definition_id,
      ...times,
      revoked_at: null,
    },
    accounts: {
      account_id: newId('acc', now),
      workspace_id,
      definition_id,
      link_id,
      name: 'Support',
      auth_type: 'Api Key',
      account_identifier: 'acme-1',
      public_config: '{"domain":"acme"}',
      sealed_config: new Uint8Array([1, 0, 2]),
      credential_version: 1,
      ...times,
      deleted_at: null,
    },
  }
}
