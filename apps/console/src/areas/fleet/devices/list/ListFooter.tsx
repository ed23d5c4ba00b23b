import { useState } from 'react'
import { Form } from '../../../../ui/form/Form.tsx'
import { inputClass } from '../../../../ui/form/fields.tsx'
import type { Sight } from '../../../../ui/table/DataTable.tsx'
import { count, many } from '../../../../ui/text/quantity.ts'

const longFrom = 200

/** The position in the list, and a field that jumps to a row of a long one. */
export function ListFooter({ first, last, jump, total }: Sight & { readonly total: number }) {
  const [typed, setTyped] = useState('')
  const go = () => {
    const row = Number(typed)
    if (Number.isInteger(row) && row > 0) jump(row)
  }
  return (
    <div className="flex min-h-10 items-center justify-between gap-3 border-line border-t px-3 py-1 text-muted text-sm tabular">
      {total < longFrom ? many(total, 'device') : `${count(first)}–${count(last)} of ${count(total)}`}
      {total >= longFrom && (
        <Form submit={go} className="flex items-center gap-2">
          <label htmlFor="go-to-row">Go to row</label>
          <input
            id="go-to-row"
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            className={`${inputClass} !h-7 !w-24`}
          />
        </Form>
      )}
    </div>
  )
}
