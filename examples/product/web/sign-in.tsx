import { useState } from 'react'
import { CUSTOMERS, type Customer } from '../customers.ts'
import { callApi } from './call-api.ts'

/** Signs in as one of the demo customers. */
export function SignIn({ onSignIn }: { readonly onSignIn: (customer: Customer) => void }) {
  const [error, setError] = useState('')
  const signIn = ({ id }: Customer) =>
    callApi<Customer>('POST', 'sign-in', { id }).then(onSignIn, (e: Error) => setError(e.message))

  return (
    <section className="card">
      <h1>Who are you?</h1>
      <p>A demo without passwords. Each customer sees only their own connections.</p>
      <div className="buttons">
        {CUSTOMERS.map((customer) => (
          <button key={customer.id} type="button" onClick={() => signIn(customer)}>
            {customer.name}
          </button>
        ))}
      </div>
      {error && <p role="alert">{error}</p>}
    </section>
  )
}
