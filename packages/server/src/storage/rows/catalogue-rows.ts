/** What a workspace runs of a catalogue definition, when that is not what all others run. */
export interface DefinitionPinRow {
  definition_id: string
  workspace_id: string
  version: string
  source_url: string
  bundle_sha256: string
  /** The judged SPEC, JSON. */
  spec: string
  updated_at: number
}

/** What a workspace ran before, for a rollback. */
export interface PreviousVersionRow {
  definition_id: string
  workspace_id: string
  /** Counts up from 1: the highest is the one before. */
  position: number
  version: string
  source_url: string
  bundle_sha256: string
  spec: string
  used_until: number
}

/** A version that the catalogue or a registry offers; its bundle may not be here yet. */
export interface CatalogueVersionRow {
  definition_id: string
  version: string
  /** Begins with `/` where we serve it. */
  source_url: string
  bundle_sha256: string
}

/** The last good document of a registry, and when to ask for the next. */
export interface RegistryRow {
  url: string
  etag: string | null
  document: string | null
  fetched_at: number | null
  /** Nobody asks before: it is the lease of who asks as well. */
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

/** What an upgrade would do to accounts. */
export interface PreviewRow {
  preview_id: string
  workspace_id: string
  definition_id: string
  /** Of the version that is tried. */
  bundle_sha256: string
  /** `running`, `finished` or `interrupted`. */
  state: string
  /** JSON. */
  result: string
  alive_until: number
  created_at: number
  expires_at: number
}
