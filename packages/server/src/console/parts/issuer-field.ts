import type { Html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { textField } from './fields.ts'

/** The field for the server that a client is registered with. */
export function issuerField(
  { issuer, issuerHint }: Words['oauthApp'],
  value: string | null | undefined,
  error: string | undefined,
): Html {
  return textField({
    name: 'issuer',
    label: issuer,
    value: value ?? undefined,
    hint: issuerHint,
    error,
    isRequired: true,
    isCode: true,
    maxLength: 2_048,
  })
}
