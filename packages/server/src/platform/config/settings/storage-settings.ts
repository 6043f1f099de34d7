import type { ConfigParsers } from '../config-parsers.ts'
import { parsePostgresUrl } from '../parse-postgres-url.ts'
import { parseTransitKey } from '../parse-transit-key.ts'
import type { SettingTable } from '../setting.ts'
import {
  parseEmail,
  parseFlag,
  parseHeaderValue,
  parseOptional,
  parseText,
  parseTokenSeconds,
} from '../setting-parsers.ts'

/** The settings of the database, the owner and the keys. */
export function storageSettings<Keys, Allow>(parsers: ConfigParsers<Keys, Allow>) {
  return {
    dataDir: {
      name: 'LINCHPIN_DATA_DIR',
      default: './data',
      description:
        "the folder of the database, the key file and the owner's token; unused with PostgreSQL and `LINCHPIN_KEYS`",
      parse: parseText,
    },
    databaseUrl: {
      name: 'DATABASE_URL',
      default: '',
      unset: 'none',
      description:
        '`postgres://…` uses PostgreSQL instead of the embedded database; requires `LINCHPIN_KEYS`, and `LINCHPIN_TOKEN` at the first start',
      parse: parseOptional(parsePostgresUrl),
    },
    token: {
      name: 'LINCHPIN_TOKEN',
      default: '',
      unset: 'none',
      description:
        "the owner's token. Create one with `npm run --silent token -- --new`. Another value at a later start revokes the previous one and every token created from it",
      parse: parseOptional((text) => {
        if (!parsers.isToken(text))
          throw new Error(
            'is not a well-formed token (lp_…). Make one with `npm run token -- --new`.',
          )
        return text
      }),
    },
    ownerTokenSeconds: {
      name: 'LINCHPIN_OWNER_TOKEN_SECONDS',
      default: '',
      unset: 'no expiry',
      description:
        'lifetime of owner tokens created from now on, 1 to 315,360,000 s; also of a new `LINCHPIN_TOKEN`. Tokens created from them expire with them',
      parse: parseOptional(parseTokenSeconds),
    },
    ownerEmail: {
      name: 'LINCHPIN_OWNER_EMAIL',
      default: 'owner@localhost',
      description: 'email of the first user; only read at the first start',
      parse: parseEmail,
    },
    keys: {
      name: 'LINCHPIN_KEYS',
      default: '',
      unset: 'the key file',
      description:
        '`id:base64(32 bytes)`, comma-separated or one per line, as in the key file; the first key encrypts, all keys decrypt; or [a command](maintenance.md#keys-from-a-command) that prints them',
      parse: parseOptional(parsers.keys),
    },
    transitKey: {
      name: 'LINCHPIN_TRANSIT_KEY',
      default: '',
      unset: 'none',
      description:
        '`https://HOST/v1/MOUNT/keys/NAME`: the [transit key](maintenance.md#keys-that-a-transit-key-encrypts) of Vault or OpenBao that decrypts keys like `id:vault:v1:…`; `http` only on a loopback host; requires `LINCHPIN_KEYS`',
      parse: parseOptional(parseTransitKey),
    },
    transitToken: {
      name: 'LINCHPIN_TRANSIT_TOKEN',
      default: '',
      unset: 'none',
      description:
        'a token that may decrypt with it, read at each start; not needed if an agent adds it',
      parse: parseOptional(parseHeaderValue),
    },
    transitNamespace: {
      name: 'LINCHPIN_TRANSIT_NAMESPACE',
      default: '',
      unset: 'none',
      description: 'the namespace of that key',
      parse: parseOptional(parseHeaderValue),
    },
    migratesAtStart: {
      name: 'LINCHPIN_MIGRATE',
      default: '1',
      description:
        '`0`: the start fails with exit code 78 while the database lacks migrations, which `linchpin migrate` runs; see [upgrading](maintenance.md#migrate-as-a-separate-step)',
      parse: parseFlag,
    },
  } satisfies SettingTable
}
