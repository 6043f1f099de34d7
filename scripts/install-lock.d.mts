export function withInstallLock<Result>(
  file: string,
  work: () => Promise<Result>,
  options?: { readonly staleAfterMs?: number; readonly onWait?: () => void },
): Promise<Result>
