import { readSettingFile } from './read-setting-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment with the contents of the files that `NAME_FILE` variables name, for the settings of these names: secrets in
 * files appear neither in the process table nor in the description of a container. Reports each variable that is set in both
 * ways, and each file that cannot be read or is empty.
 */
export function readSettingFiles(
  env: Environment,
  names: readonly string[],
  onError: (error: string) => void,
): Environment {
  const contents: Record<string, string> = {}
  for (const name of names) {
    const variable = `${name}_FILE`
    const file = env[variable]?.trim()
    if (!file) continue
    if (env[name]?.trim()) onError(`${variable}: is set as well as ${name}. Set one of them.`)
    else contents[name] = readText(file, (reason) => onError(`${variable}: ${reason}`))
  }
  return { ...env, ...contents }
}

function readText(file: string, onError: (reason: string) => void): string {
  try {
    const text = readSettingFile(file).trim()
    if (text === '') onError(`${file} is empty.`)
    return text
  } catch (error) {
    onError(error instanceof Error ? error.message : String(error))
    return ''
  }
}
