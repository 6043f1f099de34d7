import type { Attributes } from '../../page/attributes.ts'
import type { Words } from '../../page/words/words.ts'
import { fieldFault } from './field-fault.ts'
import type { FormField } from './form-field.ts'
import { PASSWORD } from './read-config.ts'

/**
 * What the page's script says about a field before it is sent, and the bounds that it holds the field to: the words that we
 * would say after.
 */
export function faultWords(words: Words, field: FormField): Attributes {
  const { name, kind, label, isRequired, isSecret, attributes, property } = field
  const { form } = words
  const isTyped = kind === 'email' || kind === 'url' || kind === 'date' || kind === 'number'
  const isText = kind !== 'select' && kind !== 'checkbox' && kind !== 'number'
  const lengths = isText ? property : {}
  const bounds = kind === 'number' ? property : {}
  return {
    'data-missing': isRequired
      ? fieldFault(words, field, { code: 'required' }, undefined)
      : undefined,
    'data-type': isTyped ? fieldFault(words, field, { code: 'invalid' }, '') : undefined,
    'data-pattern': attributes.pattern === undefined ? undefined : form.notLike({ label }),
    ...bound('least', lengths.minLength, (count) => form.tooShort({ count })),
    ...bound('most', lengths.maxLength, (count) => form.tooLong({ count })),
    ...bound('low', bounds.minimum, (count) => form.tooSmall({ count })),
    ...bound('high', bounds.maximum, (count) => form.tooLarge({ count })),
    'data-secret': isSecret,
    'data-exact': PASSWORD.test(name),
  }
}

/** A bound, and what is said of an answer beyond it. */
function bound(name: string, at: unknown, say: (count: number) => Attributes[string]): Attributes {
  return typeof at === 'number' && Number.isFinite(at)
    ? { [`data-${name}`]: at, [`data-${name}-words`]: say(at) }
    : {}
}
