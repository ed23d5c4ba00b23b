import { httpAdvice } from '@muster/areas/error-advice.rules.ts'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../../ui/page/Page.tsx'

const all = Object.entries(httpAdvice)

/** The cause and the remedy of each error code, or of the one that an error message links to. */
export function ErrorsPage() {
  const { code: wanted } = useSearch({ from: '/app/errors' })
  const found = all.filter(([code]) => code === wanted)
  const shown = found.length > 0 ? found : all
  return (
    <Page title="Error codes" lead="What an error means and how to resolve it">
      <div className="grid max-w-3xl gap-3">
        {shown.map(([code, { cause, remedy }]) => (
          <article key={code} aria-label={code} className="rounded-xl border border-line bg-surface px-4 py-3">
            <h2 className="font-mono font-semibold text-sm">
              <Link from="/errors" to="/errors" search={{ code }} className="rounded hover:text-accent-text">
                {code}
              </Link>
            </h2>
            <p className="mt-1">{withCode(cause)}</p>
            <p className="mt-1 text-muted">{withCode(remedy)}</p>
          </article>
        ))}
        {shown !== all && (
          <Link
            from="/errors"
            to="/errors"
            search={{ code: undefined }}
            className="rounded font-medium text-accent-text"
          >
            Show all error codes
          </Link>
        )}
      </div>
    </Page>
  )
}

/** Text in which backquotes mark names of fields and paths. */
const withCode = (text: string): ReactNode =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))
