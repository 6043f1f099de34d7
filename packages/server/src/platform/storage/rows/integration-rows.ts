import type { Id } from '../id.ts'
/** A bundle, identified by its SHA-256 in lower-case hex. */
export interface BundleRow {
  sha256: string
  code: Uint8Array
  /** Bytes of `code`. */
  size: number
  created_at: number
}

/** An integration definition. The key is unique among the live ones of a workspace. */
export interface DefinitionRow {
  definition_id: Id<'def'>
  workspace_id: Id<'wsp'>
  key: string
  name: string
  icon: string
  version: string
  release_stage: string
  type_key: string
  type_name: string
  source_url: string
  bundle_sha256: string
  /** The validated SPEC, JSON. */
  spec: string
  /** The newest version in the catalogue or a registry; null for custom definitions. */
  latest_version: string | null
  latest_source_url: string | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** A tag of a live account, by which it is found. Triggers derive the rows from the account. */
export interface AccountTagRow {
  workspace_id: Id<'wsp'>
  key: string
  value: string
  account_id: Id<'acc'>
  /** As in the account. */
  created_at: number
  updated_at: number
}

/** Tokens that replaced a refresh token during a check, until an account stores them. */
export interface RotationRow {
  /** SHA-256 of the replaced token and its purpose, in hex. */
  rotation_id: string
  workspace_id: Id<'wsp'>
  /** The sealed tokens, JSON. */
  sealed: Uint8Array
  expires_at: number
}

/** The lease of the check that uses a refresh token of no stored account. */
export interface TokenLeaseRow {
  /** As of the rotation. */
  rotation_id: string
  workspace_id: Id<'wsp'>
  lease_owner: string
  lease_until: number
}
