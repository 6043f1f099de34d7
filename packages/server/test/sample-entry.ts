/** Where an entry has the value of a field. */
export const placeholder = (name: string) => `\${${name}}`

/** An API with a key, at an address that the customer enters: an entry, once it has a check. */
export const KEY_ENTRY = {
  hosts: 'any',
  base: placeholder('base_url'),
  fields: { base_url: { title: 'Address', type: 'url', help: 'As in your browser.' } },
  auth: {
    'Api Key': {
      headers: { 'X-Api-Key': placeholder('api_key') },
      fields: { api_key: { title: 'API key', secret: true, help: 'In your profile.' } },
    },
  },
} as const
