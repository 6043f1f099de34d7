/** A form with a field per text, which is used for every property of the field. */
export function createHostileSpec(texts: readonly string[]) {
  const KINDS = [
    (text: string) => ({ type: 'string', default: text, format: text }),
    (text: string) => ({ enum: [text, 'b'], default: text }),
    (text: string) => ({
      oneOf: [
        { const: text, title: text },
        { const: 'b', title: text },
      ],
    }),
    (text: string) => ({ type: 'boolean', default: text }),
    (text: string) => ({ type: 'string', format: 'password', default: text }),
    (text: string) => ({ type: 'object', default: text, properties: { [text]: { title: text } } }),
  ]
  const properties = texts.map((text, index) => [
    text,
    {
      ...KINDS[index % KINDS.length]?.(text),
      title: text,
      description: text,
      pattern: text,
      'x-placeholder': text,
      'x-help-url': index % 2 === 0 ? text : `https://help.example/${text}`,
    },
  ])
  return createSpec({ Key: createInputSpecification(Object.fromEntries(properties)) })
}

/** Auth methods with these names. */
export function createHostileAuthTypes(texts: readonly string[]) {
  return createSpec(
    Object.fromEntries(
      texts.map((text) => [text, createInputSpecification({ key: { type: 'string' } })]),
    ),
  )
}

/** A bundle that returns the response of `/told` as check result and identity. */
export function createBundleWithLabel(origin: string): string {
  const spec = createSpec({ Key: createInputSpecification({ note: { type: 'string' } }) })
  return `
const told = () => fetch('${origin}/told').then((answer) => answer.json())
exports.default = async (command) => {
  if (command === 'SPEC') return ${JSON.stringify(spec)}
  if (command === 'CHECK') return told()
  if (command === 'IDENTITY') return { id: 'p', label: (await told()).label }
  return { error: 'Command not found' }
}`
}

function createSpec(auth_specification: Record<string, unknown>) {
  return { auth_specification }
}

function createInputSpecification(properties: Record<string, unknown>) {
  return { input_specification: { type: 'object', properties } }
}
