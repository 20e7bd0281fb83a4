# Isolde as an image: Debian packages are made in one stage, and the program's is installed in the other.
#
#   docker build -t isolde .
#   docker run --rm --user "$(id -u)" -v "$PWD:/data" isolde check history.jsonl
FROM debian:12 AS build
COPY . /isolde
WORKDIR /isolde
RUN ./dev package

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/isolde/build/packages,target=/packages \
    apt-get update \
    && apt-get install -y --no-install-recommends /packages/isolde_*.deb \
    && rm -rf /var/lib/apt/lists/*
USER nobody
WORKDIR /data
ENTRYPOINT ["isolde"]
