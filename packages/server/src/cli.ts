import { readFileSync } from 'node:fs'
import { generateAccessToken } from './auth/access-token.ts'
import {
  createInstanceKeyReader,
  type InstanceKey,
  type InstanceKeyName,
} from './catalogue/instance-key.ts'
import { parseRegistryDocument } from './catalogue/registry/parse-registry-document.ts'
import { signRegistry } from './catalogue/registry/sign-registry.ts'
import { parseTokenSeconds as parseSeconds } from './config/setting-parsers.ts'
import { readEnvironment } from './start/environment.ts'
import { getExitCode, printStartupError } from './start/exit.ts'
import { importPoozleCommand } from './start/import-poozle-command.ts'
import { openImportServices } from './start/open-import-services.ts'
import { openServices } from './start/open-services.ts'
import { verifyAuditCommand } from './start/verify-audit-command.ts'
import { createTokenStore } from './tokens/token-store.ts'
import { createOwnerToken } from './users/ensure-owner.ts'
import { createUserStore } from './users/user-store.ts'

const DAY_MS = 86_400_000

const OPEN_OPTIONS = {
  onNotice: (text: string) => console.error(text),
  onFatal: (error: Error) => {
    throw error
  },
  now: Date.now,
}

const USAGE = `Usage:
  npm run token -- --owner         creates and prints another owner token;
                                   --seconds N: it expires after N seconds (default: LINCHPIN_OWNER_TOKEN_SECONDS)
  npm run token -- --new           prints a new token for LINCHPIN_TOKEN without storing it
  npm run linchpin -- keys rotate  re-encrypts the key of every workspace with the first key of LINCHPIN_KEYS;
                                   safe to repeat
  npm run linchpin -- registry key
                                   prints the public key of this installation, for LINCHPIN_REGISTRY_KEY elsewhere
  npm run linchpin -- registry sign FILE [--days N]
                                   prints the registry document in FILE, signed by this installation for N days
                                   (default: 30)
  npm run linchpin -- audit key    prints the public key that signs checkpoints of the audit trail
  npm run linchpin -- audit verify FILE [--checkpoints FILE] [--public-key KEY]
                                   verifies an export of the audit trail, offline; exits 1 if it was changed
  npm run linchpin -- import poozle [options]
                                   imports a workspace of Poozle from its database; --help lists the options`

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  printStartupError(error)
  return getExitCode(error)
})

async function main(args: readonly string[]): Promise<number> {
  const command = args.join(' ')
  const owner = /^token --owner(?: --seconds[ =](.*))?$/.exec(command)
  if (owner !== null) return printOwnerToken(owner[1])
  if (command === 'token --new') console.log(generateAccessToken())
  else if (command === 'keys rotate') return rotateKeys()
  else if (command === 'registry key') return printPublicKey('registry')
  else if (command === 'audit key') return printPublicKey('audit')
  else if (args[0] === 'audit' && args[1] === 'verify')
    return verifyAuditCommand(args.slice(2), console)
  else if (args[0] === 'import' && args[1] === 'poozle') return importPoozle(args.slice(2))
  else if (args[0] === 'registry' && args[1] === 'sign') return signRegistryFile(args.slice(2))
  else {
    console.error(USAGE)
    return command === '' || command === '--help' ? 0 : 64
  }
  return 0
}

async function printOwnerToken(seconds: string | undefined): Promise<number> {
  const tokenSeconds =
    seconds === undefined ? loadConfig().ownerTokenSeconds : parseLifetime(seconds)
  if (tokenSeconds === 'invalid') return 64
  const { database } = await openFromEnvironment()
  try {
    const stores = { users: createUserStore(database), tokens: createTokenStore(database) }
    const token = await createOwnerToken({ database, ...stores, tokenSeconds, now: Date.now })
    if (token === undefined) {
      console.error('There is no owner yet: run `npm start` once first.')
      return 1
    }
    console.log(token)
    return 0
  } finally {
    await database.close()
  }
}

function parseLifetime(text: string): number | 'invalid' {
  try {
    return parseSeconds(text)
  } catch (error) {
    console.error(`--seconds: ${error instanceof Error ? error.message : ''}`)
    return 'invalid'
  }
}

async function rotateKeys(): Promise<number> {
  const { database, vault } = await openFromEnvironment()
  try {
    const rotatedCount = await vault.rotateKeys()
    console.log(
      `Re-encrypted ${rotatedCount} keys with the first key. You can now remove older keys.`,
    )
    return 0
  } finally {
    await database.close()
  }
}

async function printPublicKey(name: InstanceKeyName): Promise<number> {
  console.log((await readInstanceKey(name)).publicKey)
  return 0
}

/** Signs a registry document that a web server publishes as a file. */
async function signRegistryFile([
  file,
  flag,
  daysText = '30',
  ...extraArgs
]: string[]): Promise<number> {
  const days = Number(daysText)
  const isValidDays = flag === undefined || (flag === '--days' && days >= 1 && days <= 366)
  if (file === undefined || !isValidDays || extraArgs.length > 0) {
    console.error(USAGE)
    return 64
  }
  const text = readFileSync(file, 'utf8')
  const document = parseRegistryDocument(text)
  if (typeof document === 'string') {
    console.error(document)
    return 65
  }
  const issuedAt = Date.now()
  const times = { issuedAt, expiresAt: issuedAt + days * DAY_MS }
  console.log(signRegistry(JSON.parse(text), await readInstanceKey('registry'), times))
  return 0
}

async function readInstanceKey(name: InstanceKeyName): Promise<InstanceKey> {
  const services = await openFromEnvironment()
  try {
    return await createInstanceKeyReader({ ...services, now: Date.now }, name)()
  } finally {
    await services.database.close()
  }
}

function importPoozle(args: readonly string[]): Promise<number> {
  return importPoozleCommand(args, {
    env: process.env,
    output: console,
    open: () => openImportServices(loadConfig(), OPEN_OPTIONS),
  })
}

function loadConfig() {
  return readEnvironment(process.env)
}

function openFromEnvironment() {
  return openServices(loadConfig(), { ...OPEN_OPTIONS, exclusive: false })
}
