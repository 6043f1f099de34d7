import type { Id } from '../id.ts'

/** A person who has access to a workspace, or is invited to it. */
export interface MemberRow {
  member_id: Id<'mbr'>
  workspace_id: Id<'wsp'>
  /** Null until the invitation is accepted. */
  user_id: Id<'usr'> | null
  email: string
  /** The e-mail in lower case: unique among the members of the workspace. */
  email_key: string
  role: 'viewer' | 'support' | 'developer' | 'admin' | 'owner'
  /** Scopes beyond those of the role, separated by single spaces. */
  extra_scopes: string
  /** Its member token: the parent of the tokens of its sessions. Null until the invitation is accepted. */
  token_id: Id<'tok'> | null
  /** The first of its member tokens, from which all others descend. */
  root_token_id: Id<'tok'> | null
  /** SHA-256 of the secret of the invitation; null once it is accepted. */
  invitation_hash: Uint8Array | null
  invited_until: number | null
  created_at: number
  updated_at: number
  accepted_at: number | null
  ended_at: number | null
}

/** A person's session in the console, in one browser. */
export interface ConsoleSessionRow {
  session_id: Id<'ses'>
  /** A keyed hash of the secret in the cookie: unique. */
  secret_hash: Uint8Array
  user_id: Id<'usr'>
  /** The workspace that the person acts in. */
  workspace_id: Id<'wsp'>
  /** How the person signed in: `code`, `passkey`, `oidc` or `invitation`. */
  method: string
  user_agent: string | null
  ip: string | null
  created_at: number
  last_seen_at: number
  /** When it ends unless it is used before. */
  idle_ends_at: number
  ends_at: number
  /** Until when it has the elevated scopes of the role; null if it never had. */
  elevated_until: number | null
  ended_at: number | null
}

/** An access token with which a session calls the API. */
export interface SessionTokenRow {
  token_id: Id<'tok'>
  session_id: Id<'ses'>
  /** The person. The token itself belongs to the owner of the workspace. */
  user_id: Id<'usr'>
}

/** A public key with which a person signs in to the console. */
export interface PasskeyRow {
  passkey_id: Id<'psk'>
  /** Of the authenticator, in base64url: unique. */
  credential_id: string
  user_id: Id<'usr'>
  /** COSE. */
  public_key: Uint8Array
  /** The authenticator's count of signatures; 0 if it has none. */
  counter: number
  /** How browsers reach it, such as `internal hybrid`. */
  transports: string
  /** What the person calls it. */
  name: string
  created_at: number
  last_used_at: number | null
}

/** What signs in once: a code, a challenge, or the state of a sign-in at an identity provider. */
export interface SignInClaimRow {
  /** SHA-256. */
  claim_hash: Uint8Array
  kind: string
  user_id: Id<'usr'> | null
  /** JSON object, without secrets. */
  data: string
  created_at: number
  expires_at: number
  used_at: number | null
}

/** A user whose e-mail an identity provider or the operator has verified. */
export interface VerifiedEmailRow {
  user_id: Id<'usr'>
  verified_at: number
}
