import {
  createInstanceKeyReader,
  type InstanceKey,
  type InstanceKeyName,
} from '../../../integrations/catalogue/instance-key.ts'
import type { OperatorContext } from '../operator-command.ts'

/** Reads a signing key of this installation, which its first use creates. */
export async function readInstanceKey(
  { open, now }: OperatorContext,
  name: InstanceKeyName,
): Promise<InstanceKey> {
  const services = await open()
  try {
    return await createInstanceKeyReader({ ...services, now }, name)()
  } finally {
    await services.database.close()
  }
}
