const DURATIONS: readonly (readonly [value: string, label: string])[] = [
  ['15m', '15 minutes'],
  ['30m', '30 minutes'],
  ['1h', '1 hour'],
  ['2h', '2 hours'],
  ['4h', '4 hours'],
  ['8h', '8 hours'],
  ['24h', '24 hours'],
];

/** For how long an order stands; everything a person decides ends by itself. */
export function DurationField({ id, unlessGiven = '1h' }: { id: string; unlessGiven?: string }) {
  return (
    <>
      <label for={id}>For how long</label>
      <select id={id} name="for">
        {DURATIONS.map(([value, label]) => (
          <option value={value} selected={value === unlessGiven}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
}

/** Why: kept in the audit trail and shown to others. */
export function ReasonField({ id, required = true }: { id: string; required?: boolean }) {
  return (
    <>
      <label for={id}>Reason{required ? '' : ' (needed for that)'}</label>
      <input id={id} name="reason" type="text" maxlength={200} required={required} autocomplete="off" />
    </>
  );
}

/** Where to come back to after an order that can be given from several pages. */
export function BackField({ to }: { to: string }) {
  return <input type="hidden" name="back" value={to} />;
}
