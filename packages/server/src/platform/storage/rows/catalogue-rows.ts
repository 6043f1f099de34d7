import type { Id } from '../id.ts'

/** The version of a catalogue definition that a workspace has pinned. */
export interface DefinitionPinRow {
  definition_id: Id<'def'>
  workspace_id: Id<'wsp'>
  version: string
  source_url: string
  bundle_sha256: string
  /** The validated SPEC, JSON. */
  spec: string
  updated_at: number
  /** Whether a newer version has to be published. */
  update_due: 0 | 1
}

/** What triggers change with the definitions, pins, icons and OAuth apps of a workspace. */
export interface DefinitionEpochRow {
  workspace_id: Id<'wsp'>
  /** Random. */
  epoch: string
}

/** The icon that a workspace has set for a definition. */
export interface DefinitionIconRow {
  definition_id: Id<'def'>
  workspace_id: Id<'wsp'>
  /** The path of this service, with the SHA-256 of the content. */
  path: string
  media_type: string
  content: Uint8Array
  updated_at: number
}

/** An earlier version of a definition in a workspace, for rollbacks. */
export interface PreviousVersionRow {
  definition_id: Id<'def'>
  workspace_id: Id<'wsp'>
  /** Counts up from 1; the highest is the previous version. */
  position: number
  version: string
  source_url: string
  bundle_sha256: string
  spec: string
  used_until: number
}

/** A version that the catalogue or a registry offers; its bundle may not be stored yet. */
export interface CatalogueVersionRow {
  definition_id: Id<'def'>
  version: string
  /** Begins with `/` if this service serves it. */
  source_url: string
  bundle_sha256: string
}

/** The last valid document of a registry, and when to fetch it next. */
export interface RegistryRow {
  url: string
  etag: string | null
  document: string | null
  fetched_at: number | null
  /** No node fetches earlier; also the lease of the node that fetches. */
  next_at: number
}

/** A key pair of this installation. */
export interface InstanceKeyRow {
  name: string
  /** Base64url. */
  public_key: string
  /** The private key as PKCS #8, sealed for the workspace of the catalogue. */
  sealed: Uint8Array
  created_at: number
}

/** The effect of an upgrade on accounts. */
export interface PreviewRow {
  preview_id: Id<'pvw'>
  workspace_id: Id<'wsp'>
  definition_id: Id<'def'>
  /** Hash of the previewed bundle. */
  bundle_sha256: string
  /** `running`, `finished` or `interrupted`. */
  state: string
  /** JSON. */
  result: string
  alive_until: number
  created_at: number
  expires_at: number
}

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
