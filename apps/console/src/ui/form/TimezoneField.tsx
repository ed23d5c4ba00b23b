import { type ComponentProps, useId } from 'react'
import { TextField } from './fields.tsx'

const timezones = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** A timezone of the IANA database, found by typing a part of its name. */
export function TimezoneField(props: ComponentProps<typeof TextField>) {
  const id = useId()
  return (
    <>
      <TextField list={id} autoComplete="off" spellCheck={false} placeholder="Europe/Zurich" {...props} />
      <datalist id={id}>
        {timezones.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}
