import type { ReactNode } from 'react'

/** A part of a long form, with its heading. */
export const FormSection = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section aria-label={title} className="grid min-w-0 gap-4 border-line border-t pt-4">
    <h3 className="font-semibold">{title}</h3>
    {children}
  </section>
)
