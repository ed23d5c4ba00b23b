import type { ComponentProps, FormEvent } from 'react'

interface Props extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  submit(event: FormEvent): unknown
}

/** A form whose input is checked and sent by us, not by the browser. */
export function Form({ submit, className = 'grid gap-4', ...rest }: Props) {
  return (
    <form
      noValidate
      className={className}
      {...rest}
      onSubmit={(event) => {
        event.preventDefault()
        submit(event)
      }}
    />
  )
}
