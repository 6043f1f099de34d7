/** A person who can sign in to the sandbox. */
export interface SandboxPerson {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** The people among whom the consent page lets a visitor choose. */
export const SANDBOX_PEOPLE: readonly SandboxPerson[] = [
  { id: 'person_ada', name: 'Ada Example', email: 'ada@acme.example' },
  { id: 'person_grace', name: 'Grace Example', email: 'grace@acme.example' },
]

/** The person to whom the API keys belong. */
export const SANDBOX_KEY_OWNER: SandboxPerson = {
  id: 'person_kim',
  name: 'Kim Example',
  email: 'kim@acme.example',
}

/** Finds a person by ID. */
export function findSandboxPerson(id: string): SandboxPerson | undefined {
  return SANDBOX_PEOPLE.find((person) => person.id === id)
}
