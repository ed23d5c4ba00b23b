import type { ScriptWarning } from '@muster/areas/change/scripts/scripts.contract.ts'

/** What the grammar of the language found in a script. */
export function WarningList({ warnings }: { readonly warnings: readonly ScriptWarning[] }) {
  if (warnings.length === 0) return null
  return (
    <section aria-label="Warnings" className="grid gap-1 rounded-lg bg-warn-soft px-4 py-3 text-sm text-warn-text">
      <p className="font-semibold">The grammar of the language does not accept all of the content.</p>
      <ul className="list-disc pl-5">
        {warnings.map(({ line, column, message }) => (
          <li key={`${line} ${column} ${message}`}>{line === null ? message : `Line ${line}: ${message}`}</li>
        ))}
      </ul>
    </section>
  )
}
