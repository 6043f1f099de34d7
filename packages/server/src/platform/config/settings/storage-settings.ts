import type { ConfigParsers } from '../config-parsers.ts'
import { parsePostgresUrl } from '../parse-postgres-url.ts'
import { parseTransitKey } from '../parse-transit-key.ts'
import { setting } from '../setting.ts'
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
    dataDir: setting(
      'LINCHPIN_DATA_DIR',
      './data',
      'Folder of the embedded database, the key file and the owner token.',
      parseText,
    ),
    databaseUrl: setting(
      'DATABASE_URL',
      '',
      'postgres://… uses PostgreSQL instead of the embedded database.',
      parseOptional(parsePostgresUrl),
    ),
    token: setting(
      'LINCHPIN_TOKEN',
      '',
      "The owner's token. With DATABASE_URL it is required at first start.",
      parseOptional((text) => {
        if (!parsers.isToken(text))
          throw new Error(
            'is not a well-formed token (lp_…). Make one with `npm run token -- --new`.',
          )
        return text
      }),
    ),
    ownerTokenSeconds: setting(
      'LINCHPIN_OWNER_TOKEN_SECONDS',
      '',
      'Lifetime of owner tokens created from now on, in seconds; tokens created from them expire with them. Default: no expiry.',
      parseOptional(parseTokenSeconds),
    ),
    ownerEmail: setting(
      'LINCHPIN_OWNER_EMAIL',
      'owner@localhost',
      'Email of the first user.',
      parseEmail,
    ),
    keys: setting(
      'LINCHPIN_KEYS',
      '',
      'Key ring: comma-separated id:base64(32 bytes); the first encrypts, all decrypt; or command:/path arguments, which prints it. Default: a key file in the data folder.',
      parseOptional(parsers.keys),
    ),
    transitKey: setting(
      'LINCHPIN_TRANSIT_KEY',
      '',
      'URL of the Vault or OpenBao transit key that decrypts the id:vault:v1:… keys of LINCHPIN_KEYS, such as https://vault.internal:8200/v1/transit/keys/linchpin.',
      parseOptional(parseTransitKey),
    ),
    transitToken: setting(
      'LINCHPIN_TRANSIT_TOKEN',
      '',
      'Token for that key, read at each start. Default: none, for an agent that adds it.',
      parseOptional(parseHeaderValue),
    ),
    transitNamespace: setting(
      'LINCHPIN_TRANSIT_NAMESPACE',
      '',
      'Namespace of that key.',
      parseOptional(parseHeaderValue),
    ),
    migratesAtStart: setting(
      'LINCHPIN_MIGRATE',
      '1',
      '0 refuses to start while the database lacks migrations; `linchpin migrate` runs them.',
      parseFlag,
    ),
  }
}
