import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { UsageError } from './usage-error.ts'

/** A service and a token of it. */
export interface Profile {
  readonly url: string
  readonly token: string
}

/** The profiles of a person, in a file that only this person can read. */
export interface ProfileStore {
  /** The folder of the file, for other files of profiles. */
  readonly folder: string
  get(name: string): Promise<Profile | undefined>
  set(name: string, profile: Profile): Promise<void>
  /** Resolves to whether there was such a profile. */
  delete(name: string): Promise<boolean>
}

/** `~/.config/linchpin/config.json`, or where `XDG_CONFIG_HOME` says. A user without a home has no profiles. */
export function createProfileStore(
  env: Readonly<Record<string, string | undefined>>,
  readHome = homedir,
): ProfileStore {
  const base = env.XDG_CONFIG_HOME || path.join(env.HOME || findHome(readHome), '.config')
  const folder = path.join(base, 'linchpin')
  const file = path.join(folder, 'config.json')
  const write = (profiles: object) =>
    writePrivateFile(file, `${JSON.stringify({ profiles }, null, 2)}\n`)
  return {
    folder,
    get: async (name) => {
      const profiles = await readProfiles(file)
      return Object.hasOwn(profiles, name) ? profiles[name] : undefined
    },
    set: async (name, profile) => write({ ...(await readProfiles(file)), [name]: profile }),
    delete: async (name) => {
      const profiles = await readProfiles(file)
      if (!Object.hasOwn(profiles, name)) return false
      await write(Object.fromEntries(Object.entries(profiles).filter(([each]) => each !== name)))
      return true
    },
  }
}

/** In containers, the user often has no entry in /etc/passwd. */
function findHome(readHome: () => string): string {
  try {
    return readHome()
  } catch {
    return '/nonexistent'
  }
}

/** Replaces a file at once; only the person can read it, whatever its mode was. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
    await chmod(temporary, 0o600)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function readProfiles(file: string): Promise<Readonly<Record<string, Profile>>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')).profiles ?? {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    // The message of JSON.parse quotes the text, which contains tokens.
    throw new UsageError(`${file} cannot be read. Correct it, or remove it and log in again.`)
  }
}
