# Takes what one application needs at run time out of the installed and built workspace, into production/<app>: the packages
# that npm counts for it (none for development), our own libraries among them, and its built code.
set -eu
app=$1
target=production/$app
rm -rf "$target"
mkdir -p "$target"
npm ls --all --parseable --omit=dev --workspace="@waymark/$app" > "$target.packages"
# Without the workspace itself, and without packages inside packages: these come along with their owner.
sed -e 1d -e "s|^$(pwd -P)/||" -e '/node_modules\/.*\/node_modules\//d' "$target.packages" > "$target.paths"
xargs cp -al --parents -t "$target" < "$target.paths"
# Our own packages are links into apps/ and libs/: what they lead to comes along, readable for everybody.
grep '^node_modules/@waymark/' "$target.paths" | xargs realpath --relative-to=. | while read -r folder; do
  cp -a --parents -t "$target" "$folder/package.json" "$folder/dist"
  chmod -R a+rX "$target/$folder"
done
# Nobody reads declarations and source maps at run time, and pdf.js draws nothing here (@napi-rs/canvas, 35 MB).
find "$target" \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[mc]ts' -o -name '*.tsbuildinfo' \) -delete
rm -rf "$target/node_modules/@napi-rs"
