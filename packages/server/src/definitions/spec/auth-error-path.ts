/** How large the rules of `x-auth-errors` may be. */
export const AUTH_ERROR_LIMITS = { rules: 20, paths: 5, values: 20, steps: 10, characters: 200 }

/** The steps of a path such as `errors.*.extensions.code`. `\.` is a dot inside a name. */
export function pathSteps(path: string): string[] {
  return path.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'))
}

/** Whether a text is a path that a rule may have. */
export function isAuthErrorPath(path: string): boolean {
  if (path === '' || path.length > AUTH_ERROR_LIMITS.characters) return false
  const steps = pathSteps(path)
  return steps.length <= AUTH_ERROR_LIMITS.steps && steps.every((step) => step !== '')
}
