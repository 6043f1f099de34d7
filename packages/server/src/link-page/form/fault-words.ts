import type { Attributes } from '../../page/attributes.ts'
import type { Words } from '../../page/words/words.ts'
import { fieldFault } from './field-fault.ts'
import type { FormField } from './form-field.ts'

/** What the page's script says about a field before it is sent: the words that we would say after. */
export function faultWords(words: Words, field: FormField): Attributes {
  const { kind, label, isRequired, attributes } = field
  const { minlength } = attributes
  const isTyped = kind === 'email' || kind === 'url' || kind === 'date' || kind === 'number'
  return {
    'data-missing': isRequired
      ? fieldFault(words, field, { code: 'required' }, undefined)
      : undefined,
    'data-type': isTyped ? fieldFault(words, field, { code: 'invalid' }, '') : undefined,
    'data-short':
      minlength === undefined ? undefined : words.form.tooShort({ count: Number(minlength) }),
    'data-pattern': attributes.pattern === undefined ? undefined : words.form.notLike({ label }),
    'data-secret': field.isSecret,
  }
}
