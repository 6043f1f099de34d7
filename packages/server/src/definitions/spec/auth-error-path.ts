/** Limits of the rules of `x-auth-errors`. */
export const AUTH_ERROR_LIMITS = { rules: 20, paths: 5, values: 20, steps: 10, characters: 200 }

/** Splits a path such as `errors.*.extensions.code`. `\.` is a dot inside a name. */
export function parseFieldPath(path: string): string[] {
  return path.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'))
}

/** Whether the text is a valid path of a rule. */
export function isAuthErrorPath(path: string): boolean {
  if (path === '' || path.length > AUTH_ERROR_LIMITS.characters) return false
  const steps = parseFieldPath(path)
  return steps.length <= AUTH_ERROR_LIMITS.steps && steps.every((step) => step !== '')
}
