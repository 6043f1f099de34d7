/** What an operator's command is called with, and what it does. */
export interface OperatorUsage {
  /** The arguments after its name. */
  readonly arguments: string
  /** What it does: a phrase that begins with a verb. */
  readonly summary: string
}

/**
 * The commands of those who run the service: `linchpin NAME`, which packages/cli passes on. This file
 * imports nothing, because that program contains it.
 */
export const OPERATOR_USAGES = {
  token: {
    arguments: '--owner [--seconds N] | --new | --revoke ID [--users]',
    summary:
      'Create a token of the owner, or a new LINCHPIN_TOKEN, or revoke a token and those created with it',
  },
  console: {
    arguments: '[--user EMAIL]',
    summary:
      'Print an address that signs the owner, or this user, in to the console once, within 15 minutes',
  },
  backup: {
    arguments: 'FILE',
    summary: 'Copy the embedded database to a new file, while the service runs, and check it',
  },
  restore: {
    arguments: 'FILE [--replace]',
    summary: 'Put a backup in the place of the embedded database, while the service is stopped',
  },
  doctor: {
    arguments: '[--json]',
    summary:
      'Read everything, open every secret, and report what is wrong; exits with 1 if anything is',
  },
  'keys rotate': {
    arguments: '',
    summary: "Re-encrypt each workspace's data key with the first key of LINCHPIN_KEYS",
  },
  'keys verify': {
    arguments: '',
    summary: 'Open every data key, and print which keys are needed and which are missing',
  },
  'keys forget': {
    arguments: 'KEY --accept-loss',
    summary: 'Give up the secrets of a lost key, so that everything else can be used again',
  },
  'keys rekey': {
    arguments: '[--workspace ID]',
    summary: 'Encrypt every secret again with new data keys, while the service runs',
  },
  migrate: {
    arguments: '[--check]',
    summary:
      'Run the migrations that the database lacks; --check only prints them, and exits with 3 if there are any',
  },
  'db export': {
    arguments: 'FILE|FOLDER',
    summary: 'Write the whole database to a file, to import it into SQLite or PostgreSQL',
  },
  'db import': {
    arguments: 'FILE|FOLDER',
    summary: 'Import an export into an empty database, or continue an interrupted import',
  },
  'registry key': {
    arguments: '',
    summary: 'Print the public key of this installation, for LINCHPIN_REGISTRY_KEY elsewhere',
  },
  'registry sign': {
    arguments: 'FILE [--days N]',
    summary: 'Print the registry document in FILE, signed for N days (default: 30)',
  },
  'audit key': {
    arguments: '',
    summary: 'Print the public key that signs the checkpoints of the audit trail',
  },
  'audit verify': {
    arguments: 'FILE [--checkpoints FILE] [--public-key KEY]',
    summary: 'Verify an export of the audit trail, offline; exits with 1 if it was changed',
  },
  'import poozle': {
    arguments:
      '[--database-url-file FILE] [--from WORKSPACE] [--into ID] [--map KEY=DEFINITION] [--apply]',
    summary:
      'Import a workspace of Poozle from its database, whose URL is in POOZLE_DATABASE_URL; changes nothing without --apply',
  },
} as const satisfies Readonly<Record<string, OperatorUsage>>

export type OperatorCommandName = keyof typeof OPERATOR_USAGES
