import type { JailSupport } from '@linchpin/runner'
import { ConfigError } from '../config/config.ts'

/** Checks the requirements of `LINCHPIN_JAIL=require`. @throws ConfigError when bubblewrap or seccomp does not work */
export function requireJail({ bubblewrap, seccomp }: JailSupport): void {
  if (!bubblewrap)
    throw new ConfigError([
      'LINCHPIN_JAIL: require needs bubblewrap, which does not work here: install it and allow user namespaces, or set auto.',
    ])
  if (!seccomp)
    throw new ConfigError([
      'LINCHPIN_JAIL: require needs seccomp, which does not work here: use a kernel with seccomp filters on x86_64 or aarch64, or set auto.',
    ])
}
