import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { DraftList } from '../../../../ui/form/DraftList.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'
import { severities } from '../words.tsx'
import { type ExitCodeDraft, newExitCode } from './scriptDraft.ts'

interface Props {
  readonly drafts: readonly ExitCodeDraft[]
  change(drafts: readonly ExitCodeDraft[]): void
}

/** The severity of each exit code. */
export function ExitCodeFields({ drafts, change }: Props) {
  return (
    <>
      <p className="text-muted text-sm">
        Without an entry 0 is a success, and all others an error. <code>*</code> stands for all others except 0. A
        warning or worse opens an alert.
      </p>
      <DraftList noun="exit code" drafts={drafts} make={newExitCode} nameOf={({ code }) => code} change={change}>
        {(draft, replace) => (
          <div className="grid grid-cols-2 gap-3">
            <TextField
              label="Exit code"
              autoComplete="off"
              value={draft.code}
              onChange={({ target }) => replace({ ...draft, code: target.value })}
            />
            <ChoiceField
              label="Severity"
              value={draft.severity}
              options={severities}
              choose={(severity) => replace({ ...draft, severity })}
            />
          </div>
        )}
      </DraftList>
    </>
  )
}
